/** A proxy that delays what a PostgreSQL client sends, to simulate a remote database. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Client } from 'pg';
import { spreadOf } from '../measurement.ts';

const pings = 50;

export class DelayingProxy {
  /** The URL of the database through this proxy. */
  readonly url: string;
  readonly #sockets: Set<Socket>;
  readonly #close: () => void;

  private constructor(url: string, sockets: Set<Socket>, close: () => void) {
    this.url = url;
    this.#sockets = sockets;
    this.#close = close;
  }

  /** Delays each message to the database at `url` by this many milliseconds; responses are not delayed. */
  static async start(url: string, delayMs: number): Promise<DelayingProxy> {
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    const track = (socket: Socket) => {
      sockets.add(socket.setNoDelay(true).on('close', () => sockets.delete(socket)));
      return socket;
    };
    const server = createServer((client) => {
      const database = connect(Number(port), hostname);
      const endBoth = () => {
        client.destroy();
        database.destroy();
      };
      track(client).on('error', endBoth).on('close', endBoth);
      track(database).on('error', endBoth).on('close', endBoth);
      // Timers with equal delays fire in the order in which they were set.
      client.on('data', (bytes) => setTimeout(() => database.writable && database.write(bytes), delayMs));
      database.pipe(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const through = new URL(url);
    through.port = String((server.address() as AddressInfo).port);
    return new DelayingProxy(through.href, sockets, () => server.close());
  }

  /** Returns the duration of the shortest query through the proxy. */
  async measureRoundTripMs(): Promise<number> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    const durations: number[] = [];
    for (let ping = 0; ping < pings; ping++) {
      const startedAt = performance.now();
      await client.query('select 1');
      durations.push(performance.now() - startedAt);
    }
    await client.end();
    return spreadOf(durations).median;
  }

  stop(): void {
    this.#close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
