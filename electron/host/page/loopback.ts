/** Listens on both loopback addresses of this machine, since a browser may use either for a name below `localhost`. */
import type { Server } from 'node:http';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';

export type Listeners = {
  readonly port: number;
  readonly server: Server;
  /** `null` if the machine has no IPv6, so that no other program can listen there. */
  readonly ipv6: NetServer | null;
};

const maxAttempts = 10;
const withoutIpv6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL'];

/** Listens on a port that no other program uses on either address; 0 picks a free one. Rejects if the port is taken. */
export async function listenOnLoopback(server: Server, wantedPort: number): Promise<Listeners> {
  for (let attempt = 1; ; attempt += 1) {
    await listen(server, wantedPort, '127.0.0.1');
    const { port } = server.address() as AddressInfo;
    const ipv6 = createServer((socket) => void server.emit('connection', socket));
    try {
      await listen(ipv6, port, '::1');
      return { port, server, ipv6 };
    } catch (error) {
      if (withoutIpv6.includes(codeOf(error))) return { port, server, ipv6: null };
      await new Promise((resolve) => server.close(resolve));
      if (wantedPort !== 0 || attempt === maxAttempts) throw error;
    }
  }
}

export function closeListeners({ server, ipv6 }: Listeners): void {
  ipv6?.close();
  server.close();
  server.closeAllConnections();
}

function listen(server: NetServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
