/** An HTTP proxy for TLS (RFC 9110, section 9.3.6) that leads every host name to one test server. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

export type ConnectProxyOptions = {
  /** Port on 127.0.0.1 that every tunnel leads to. */
  readonly target: number;
  /** Credentials that it requires, as `user:password`. */
  readonly credentials?: string;
};

export class ConnectProxy {
  readonly #options: ConnectProxyOptions;
  readonly #server: Server;
  /** Requested targets: `licenses.example.test:443`, or the URL of a request that was not a tunnel. */
  readonly asked: string[] = [];
  /** Headers of all requests. */
  readonly headers: IncomingMessage['headers'][] = [];

  private constructor(options: ConnectProxyOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#note(request);
      response.writeHead(502).end();
    });
    this.#server.on('connect', (request: IncomingMessage, socket: Duplex) => this.#open(request, socket));
  }

  /** Starts the proxy and stops it when the test ends. */
  static async start(options: ConnectProxyOptions): Promise<ConnectProxy> {
    const proxy = new ConnectProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.#server.closeAllConnections();
      proxy.#server.close();
    });
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #note({ url = '', headers }: IncomingMessage): void {
    this.asked.push(url);
    this.headers.push(headers);
  }

  #open(request: IncomingMessage, socket: Duplex): void {
    this.#note(request);
    const { target, credentials } = this.#options;
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    socket.on('error', () => {});
    if (expected !== undefined && request.headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="office"\r\n\r\n');
      return;
    }
    const upstream = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.pipe(socket);
      socket.pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
  }
}
