/** The pages (browser tabs) of one window: their sockets, the events sent to them, and requests to them. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HostMessage, PageMessage, PageRequest } from '../page/page-messages.ts';
import { encodeValue } from '../page/structured-clone.ts';
import { parsePageMessage } from './parse-page-message.ts';

const maxMessageBytes = 8 * 1024 * 1024;

export type PagesDeps = {
  /** Runs a command that a page calls. */
  readonly onInvoke: (channel: string, input: readonly unknown[]) => Promise<unknown>;
  /** Called when a page gets the focus, and when no page has it any more. */
  readonly onFocused: (focused: boolean) => void;
};

type Page = { readonly socket: WebSocket; focused: boolean };

export class Pages {
  readonly #deps: PagesDeps;
  readonly #server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  /** Ordered by last command: the page that called one most recently is last. */
  #pages: Page[] = [];
  /** Last event of each channel, for pages that connect later. */
  readonly #lastEvents = new Map<string, string>();
  /** Requests awaiting a page's response, by id. */
  readonly #requests = new Map<number, { readonly page: Page; readonly resolve: (value: unknown) => void }>();
  #lastRequestId = 0;

  constructor(deps: PagesDeps) {
    this.#deps = deps;
  }

  /** True if a page has the focus. */
  get focused(): boolean {
    return this.#pages.some(({ focused }) => focused);
  }

  /** Accepts the WebSocket of a page and sends it the last event of each channel. */
  accept(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const page: Page = { socket, focused: false };
      this.#pages.push(page);
      for (const text of this.#lastEvents.values()) socket.send(text);
      socket.on('message', (data, isBinary) => this.#onMessage(page, data, isBinary));
      // `ws` closes the socket after a protocol error; without a listener the error would end this process.
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#update(() => {
          this.#pages = this.#pages.filter((each) => each !== page);
        });
        for (const [id, request] of this.#requests) if (request.page === page) this.#finishRequest(id, null);
      });
    });
  }

  /** Sends an event to every page. */
  send(channel: string, input: readonly unknown[]): void {
    const text = encodeValue({ kind: 'event', channel, input } satisfies HostMessage);
    this.#lastEvents.set(channel, text);
    for (const { socket } of this.#pages) socket.send(text);
  }

  /**
   * Sends a request to the page that called a command last. Resolves to `null` if no page is open or that one closes.
   */
  request(request: PageRequest): Promise<unknown> {
    const page = this.#pages.at(-1);
    if (page === undefined) return Promise.resolve(null);
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    page.socket.send(encodeValue({ kind: 'request', id, request } satisfies HostMessage));
    return new Promise((resolve) => this.#requests.set(id, { page, resolve }));
  }

  close(): void {
    for (const { socket } of this.#pages) socket.close();
  }

  /** Disconnects a page that sends something malformed; the other pages are not affected. */
  #onMessage(page: Page, data: unknown, isBinary: boolean): void {
    if (page.socket.readyState !== page.socket.OPEN) return;
    const parsed = parsePageMessage(data, isBinary);
    if (parsed.kind === 'message') void this.#receive(page, parsed.message);
    else page.socket.close(parsed.closeCode, parsed.reason);
  }

  async #receive(page: Page, message: PageMessage): Promise<void> {
    switch (message.kind) {
      case 'focused':
        return this.#update(() => {
          page.focused = message.focused;
        });
      case 'response':
        return this.#finishRequest(message.id, message.value);
      case 'invoke':
        this.#pages = [...this.#pages.filter((each) => each !== page), page];
        page.socket.send(await this.#invoke(message));
    }
  }

  async #invoke({ id, channel, input }: Extract<PageMessage, { kind: 'invoke' }>): Promise<string> {
    try {
      const value = await this.#deps.onInvoke(channel, input);
      return encodeValue({ kind: 'result', id, value } satisfies HostMessage);
    } catch (error) {
      const message = `Error invoking remote method '${channel}': ${String(error)}`;
      return encodeValue({ kind: 'error', id, message } satisfies HostMessage);
    }
  }

  #finishRequest(id: number, value: unknown): void {
    this.#requests.get(id)?.resolve(value);
    this.#requests.delete(id);
  }

  /** Changes the pages, and reports it if the window gains or loses the focus. */
  #update(change: () => void): void {
    const before = this.focused;
    change();
    if (this.focused !== before) this.#deps.onFocused(this.focused);
  }
}
