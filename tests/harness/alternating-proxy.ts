/**
 * A proxy in front of several server processes that act as one: each request goes to a different
 * process than the previous one.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { noticedOnPostgresMs } from './http-server.ts';

export class AlternatingProxy {
  readonly #urls: readonly string[];
  readonly #server = createServer((incoming, response) => void this.#pass(incoming, response));
  #passed = 0;
  #changedAtMs = Number.NEGATIVE_INFINITY;

  private constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Starts the proxy on a free port. The caller stops it. */
  static async start(urls: readonly string[]): Promise<AlternatingProxy> {
    const proxy = new AlternatingProxy(urls);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of requests sent to each process, in the order of their URLs. */
  get counts(): readonly number[] {
    return this.#urls.map((_, index) => Math.ceil((this.#passed - index) / this.#urls.length));
  }

  /** Call this after something other than a request has changed data. */
  readonly noteChange = (): void => {
    this.#changedAtMs = performance.now();
  };

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = this.#urls[this.#passed++ % this.#urls.length] ?? '';
    const waitMs = this.#changedAtMs + noticedOnPostgresMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const { method = 'GET', headers } = incoming;
    // Without an agent, each request gets its own connection.
    const sent = request(url + incoming.url, { method, headers, agent: false }, (received) => {
      // A single process knows about its own changes.
      if (this.#urls.length > 1 && !isRead(incoming)) this.noteChange();
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    sent.on('error', () => response.destroy());
    incoming.pipe(sent);
  }
}

function isRead({ method, url = '' }: IncomingMessage): boolean {
  return method === 'GET' || url.endsWith('/validate') || url.endsWith('/heartbeat');
}
