/** The page's end of the socket. It reconnects automatically, and calls wait while disconnected. */
import { type HostMessage, type PageMessage, socketPath } from '../page-messages.ts';
import { decodeValue, encodeValue } from '../structured-clone.ts';
import { waitForUploads } from './file-paths.ts';
import { handlePageRequest } from './page-requests.ts';

const minReconnectDelayMs = 250;
const maxReconnectDelayMs = 5_000;

type Call = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Outgoing = { readonly text: string; readonly onSent?: () => void };

type PageSocketDeps = {
  readonly uploadsFolder: string;
  readonly onEvent: (channel: string, input: readonly unknown[]) => void;
};

/** Connects on construction. */
export class PageSocket {
  readonly #deps: PageSocketDeps;
  readonly #calls = new Map<number, Call>();
  #waiting: Outgoing[] = [];
  #lastId = 0;
  #reconnectDelayMs = minReconnectDelayMs;
  #socket: WebSocket;

  constructor(deps: PageSocketDeps) {
    this.#deps = deps;
    this.#socket = this.#connect();
    for (const event of ['focus', 'blur']) window.addEventListener(event, () => this.#sendFocus());
    document.addEventListener('visibilitychange', () => this.#sendFocus());
  }

  /** Calls the main process; rejects if that throws or the connection is lost before the result. */
  readonly invoke = async (channel: string, ...input: unknown[]): Promise<unknown> => {
    this.#lastId += 1;
    const id = this.#lastId;
    const text = encodeValue({ kind: 'invoke', id, channel, input } satisfies PageMessage);
    await waitForUploads(input);
    return new Promise((resolve, reject) => {
      this.#send({ text, onSent: () => this.#calls.set(id, { resolve, reject }) });
    });
  };

  #connect(): WebSocket {
    const socket = new WebSocket(`ws://${location.host}${socketPath}`);
    socket.addEventListener('open', () => this.#onOpen());
    socket.addEventListener('message', ({ data }) => this.#onMessage(decodeValue(data) as HostMessage));
    socket.addEventListener('close', () => this.#onClose());
    return socket;
  }

  #onOpen(): void {
    this.#reconnectDelayMs = minReconnectDelayMs;
    this.#sendFocus();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const outgoing of waiting) this.#send(outgoing);
  }

  /** Calls without a result are not repeated: the main process may have run them. */
  #onClose(): void {
    for (const call of this.#calls.values()) call.reject(new Error('The connection to Latchkey was interrupted.'));
    this.#calls.clear();
    setTimeout(() => {
      this.#socket = this.#connect();
    }, this.#reconnectDelayMs);
    this.#reconnectDelayMs = Math.min(this.#reconnectDelayMs * 2, maxReconnectDelayMs);
  }

  #onMessage(message: HostMessage): void {
    switch (message.kind) {
      case 'event':
        this.#deps.onEvent(message.channel, message.input);
        break;
      case 'request':
        void this.#handleRequest(message);
        break;
      case 'result':
        this.#takeCall(message.id)?.resolve(message.value);
        break;
      case 'error':
        this.#takeCall(message.id)?.reject(new Error(message.message));
    }
  }

  async #handleRequest({ id, request }: Extract<HostMessage, { kind: 'request' }>): Promise<void> {
    const value = await handlePageRequest(request, this.#deps.uploadsFolder);
    this.#send({ text: encodeValue({ kind: 'response', id, value } satisfies PageMessage) });
  }

  #takeCall(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  #send(outgoing: Outgoing): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return void this.#waiting.push(outgoing);
    this.#socket.send(outgoing.text);
    outgoing.onSent?.();
  }

  #sendFocus(): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    const focused = document.visibilityState === 'visible' && document.hasFocus();
    this.#send({ text: encodeValue({ kind: 'focused', focused } satisfies PageMessage) });
  }
}
