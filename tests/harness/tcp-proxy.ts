/** A way to a server on this machine that a test can cut, block and mend. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export type TestProxy = {
  /** The same URL, through this proxy. */
  through(url: string): string;
  /** Connections break, and new ones are rejected. */
  cut(): Promise<void>;
  /** Connections stay, new ones are accepted, and nothing is passed on. */
  block(): void;
  /** Connections stay, and nothing is passed on; new ones work. */
  silence(): void;
  /** New connections are passed on again; those of before are broken. */
  mend(): Promise<void>;
};

/** Ended when the test is over. */
export async function startProxy(targetPort: number): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let isBlocked = false;
  const server = createServer((client) => {
    keep(client);
    if (isBlocked) return;
    const target = keep(connect(targetPort, '127.0.0.1'));
    client.pipe(target).pipe(client);
  });
  const keep = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    return socket;
  };
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const silence = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const cut = async () => {
    breakAll();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  onTestFinished(cut);
  return {
    through: (url) => url.replace(`:${targetPort}`, `:${port}`),
    cut,
    block() {
      isBlocked = true;
      silence();
    },
    silence,
    async mend() {
      isBlocked = false;
      breakAll();
      if (!server.listening) await listen(port);
    },
  };
}
