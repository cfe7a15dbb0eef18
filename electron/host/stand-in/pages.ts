/** The pages (tabs) that show a window: their sockets, what they are told, what they are asked. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HostMessage, PageMessage, Question } from '../messages.ts';
import { decodeValue, encodeValue } from '../structured-clone-tags.ts';

const mostMessageBytes = 8 * 1024 * 1024;

export type PagesOptions = {
  readonly onInvoke: (channel: string, input: readonly unknown[]) => Promise<unknown>;
  /** Whether any page is visible has changed. */
  readonly onVisible: (visible: boolean) => void;
};

type Page = { readonly socket: WebSocket; visible: boolean };

/** All pages of one window. */
export class Pages {
  readonly #options: PagesOptions;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: mostMessageBytes });
  /** Newest act of a person last. */
  #pages: Page[] = [];
  /** What each channel said last, for a page that was away. */
  readonly #lastEvents = new Map<string, string>();
  readonly #questions = new Map<number, (value: unknown) => void>();
  #lastQuestion = 0;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  get visible(): boolean {
    return this.#pages.some(({ visible }) => visible);
  }

  accept(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const page: Page = { socket, visible: false };
      this.#pages.push(page);
      for (const text of this.#lastEvents.values()) socket.send(text);
      socket.on('message', (data) => void this.#receive(page, decodeValue(String(data)) as PageMessage));
      socket.on('error', () => socket.terminate());
      socket.on('close', () => {
        this.#change(() => {
          this.#pages = this.#pages.filter((each) => each !== page);
        });
        // A question that went to the page that has gone is never answered by it.
        if (this.#pages.length === 0) for (const [id] of this.#questions) this.#settle(id, null);
      });
    });
  }

  /** Tells every page. */
  send(channel: string, input: readonly unknown[]): void {
    const text = encodeValue({ kind: 'event', channel, input } satisfies HostMessage);
    this.#lastEvents.set(channel, text);
    for (const { socket } of this.#pages) socket.send(text);
  }

  /** Asks the page in which the person acted last; `null` where no page is open. */
  ask(question: Question): Promise<unknown> {
    const page = this.#pages.at(-1);
    if (page === undefined) return Promise.resolve(null);
    this.#lastQuestion += 1;
    const id = this.#lastQuestion;
    page.socket.send(encodeValue({ kind: 'ask', id, question } satisfies HostMessage));
    return new Promise((resolve) => this.#questions.set(id, resolve));
  }

  close(): void {
    for (const { socket } of this.#pages) socket.close();
  }

  async #receive(page: Page, message: PageMessage): Promise<void> {
    switch (message.kind) {
      case 'visible':
        return this.#change(() => {
          page.visible = message.visible;
        });
      case 'reply':
        return this.#settle(message.id, message.value);
      case 'invoke':
        this.#pages = [...this.#pages.filter((each) => each !== page), page];
        page.socket.send(await this.#answer(message));
    }
  }

  async #answer({ id, channel, input }: Extract<PageMessage, { kind: 'invoke' }>): Promise<string> {
    try {
      const value = await this.#options.onInvoke(channel, input);
      return encodeValue({ kind: 'answer', id, value } satisfies HostMessage);
    } catch (error) {
      const message = `Error invoking remote method '${channel}': ${String(error)}`;
      return encodeValue({ kind: 'failure', id, message } satisfies HostMessage);
    }
  }

  #settle(id: number, value: unknown): void {
    this.#questions.get(id)?.(value);
    this.#questions.delete(id);
  }

  #change(act: () => void): void {
    const before = this.visible;
    act();
    if (this.visible !== before) this.#options.onVisible(this.visible);
  }
}
