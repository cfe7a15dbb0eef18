/**
 * A proxy between a desktop and its server: requests to a chosen path meet a network fault, all others are passed on.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/** A request that meets a fault. */
export type Exchange = {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** Forwards the request to the server; the response reaches the client only if the fault lets it. */
  readonly deliver: () => Promise<Answer>;
};

/** What happens to a request instead of being passed on. */
export type Fault = (exchange: Exchange) => unknown;

type Injected = {
  readonly fault: Fault;
  /** Text contained in the path of affected requests. */
  readonly path: string;
  remaining: number;
};

export class FaultProxy {
  readonly #target: string;
  readonly #server = createServer((incoming, response) => void this.#take(incoming, response));
  #injected: Injected | null = null;
  #faulted = 0;
  /** Paths of all requests, in order. */
  readonly paths: string[] = [];
  /** Server responses to requests that met a fault, in order. */
  readonly withheld: Answer[] = [];

  private constructor(target: string) {
    this.#target = target;
  }

  /** Starts the proxy in front of the server at this URL, on a free port. The caller stops it. */
  static async start(target: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Number of requests that have met the current fault. */
  get faulted(): number {
    return this.#faulted;
  }

  /** From now on, each request (or the first `times` requests) whose path contains this text meets the fault. */
  inject(fault: Fault, { path = '/', times = Number.POSITIVE_INFINITY } = {}): void {
    this.#injected = { fault, path, remaining: times };
    this.#faulted = 0;
    this.withheld.length = 0;
  }

  /** Ends the fault. Requests that it has affected stay as they are. */
  clear(): void {
    this.#injected = null;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '/' } = incoming;
    this.paths.push(url);
    const content = await buffer(incoming).catch(() => null);
    if (content === null) return;
    const injected = this.#injected;
    if (injected === null || injected.remaining <= 0 || !url.includes(injected.path)) {
      return this.#passOn(incoming, response, content);
    }
    injected.remaining -= 1;
    this.#faulted += 1;
    const deliver = async () => {
      const answer = await this.#ask(incoming, content);
      this.withheld.push(answer);
      return answer;
    };
    await injected.fault({ incoming, response, deliver });
  }

  async #passOn(incoming: IncomingMessage, response: ServerResponse, content: Buffer): Promise<void> {
    const answer = await this.#ask(incoming, content).catch(() => null);
    if (answer === null) response.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  /** Sends the request to the server. Without an agent, each request gets its own connection. */
  async #ask({ method = 'GET', url = '/', headers }: IncomingMessage, content: Buffer): Promise<Answer> {
    const sent = request(this.#target + url, { method, headers, agent: false });
    sent.end(content);
    const [received] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: received.statusCode ?? 502, headers: received.headers, body: await buffer(received) };
  }
}
