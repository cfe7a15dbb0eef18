/** A proxy between a test and a server on this machine, whose connections can be cut, blocked and paused. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { freePort } from './free-port.ts';

export class TcpProxy {
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#accept(client));
  #port = 0;
  #isBlocked = false;
  #packetsUntilBlocked = Number.POSITIVE_INFINITY;
  #packetsUntilPaused = Number.POSITIVE_INFINITY;
  #delayMs: (() => number) | undefined;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
  }

  /** Listens on a free port until the test ends. */
  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    // Not one that the system chooses: while it is cut, another program's connection could take that.
    proxy.#port = await freePort();
    await proxy.#listen();
    onTestFinished(() => proxy.cut());
    return proxy;
  }

  /** Returns the URL that leads through this proxy. */
  through(url: string): string {
    return url.replace(`:${this.#targetPort}`, `:${this.#port}`);
  }

  /** Breaks connections and rejects new ones. */
  async cut(): Promise<void> {
    this.#breakAll();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** Keeps connections and accepts new ones, but passes nothing on. */
  block(): void {
    this.#isBlocked = true;
    this.pause();
  }

  /** Passes new connections on again; earlier ones stay silent. */
  unblock(): void {
    this.#isBlocked = false;
  }

  /** Like `block`, after this many packets from the server. */
  blockAfter(packets: number): void {
    this.#packetsUntilBlocked = packets;
  }

  /** Like `pause`, after this many packets from the server. */
  pauseAfter(packets: number): void {
    this.#packetsUntilPaused = packets;
  }

  /** Keeps existing connections, but passes nothing on; new ones work. */
  pause(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Delays everything that the server sends on new connections, by a time that is chosen for each packet. */
  delayResponses(delayMs: () => number): void {
    this.#delayMs = delayMs;
  }

  /** Passes new connections on again; breaks earlier ones. */
  async restore(): Promise<void> {
    this.unblock();
    this.#packetsUntilBlocked = Number.POSITIVE_INFINITY;
    this.#breakAll();
    if (!this.#server.listening) await this.#listen();
  }

  /** Listens on the same port each time. */
  async #listen(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  #accept(client: Socket): void {
    this.#track(client);
    if (this.#isBlocked) return;
    const target = this.#track(connect(this.#targetPort, '127.0.0.1'));
    client.pipe(target);
    if (this.#delayMs) passOnLater(target, client, this.#delayMs);
    else target.pipe(client);
    target.on('data', () => {
      if (--this.#packetsUntilBlocked < 0) this.block();
      if (--this.#packetsUntilPaused === 0) this.pause();
    });
  }

  #track(socket: Socket): Socket {
    this.#sockets.add(socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket)));
    return socket;
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Passes packets on with their delays, in their order. */
function passOnLater(from: Socket, to: Socket, delayMs: () => number): void {
  let passed = Promise.resolve();
  from.on('data', (packet) => {
    const delay = sleep(delayMs());
    passed = passed.then(async () => {
      await delay;
      to.write(packet);
    });
  });
}
