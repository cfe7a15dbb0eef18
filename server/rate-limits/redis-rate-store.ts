/** Counts requests in a Redis server, shared by several server processes. */
import { createClient, defineScript } from '@redis/client';
import { type RateStore, storeTimeoutMs, type WindowCount, windowMs, withStoreTimeout } from './rate-counter.ts';

const prefix = 'latchkey:rate:';

/** Redis runs the script atomically and expires the window itself. A key without an expiry gets one. */
const takeOne = defineScript({
  SCRIPT: `
    local count = tonumber(redis.call('get', KEYS[1])) or 0
    local allowed = count < tonumber(ARGV[1])
    if allowed then count = redis.call('incr', KEYS[1]) end
    local left = redis.call('pttl', KEYS[1])
    if left < 0 then
      left = tonumber(ARGV[2])
      redis.call('pexpire', KEYS[1], left)
    end
    return { allowed and 1 or 0, count, left }`,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, limit: number) {
    parser.pushKey(prefix + key);
    parser.push(String(limit), String(windowMs));
  },
  transformReply: ([allowed, count, remainingMs]: [number, number, number]): WindowCount => ({
    allowed: allowed === 1,
    count,
    remainingMs,
  }),
});

type Connection = {
  readonly client: ReturnType<typeof createRedisClient>;
  readonly ready: Promise<unknown>;
};

/** Connects on the first request, and reconnects on the first request after a lost connection. */
export class RedisRateStore implements RateStore {
  readonly address: string;
  readonly #url: string;
  #connection: Connection | undefined;

  constructor(url: string) {
    this.address = describeRedis(url);
    this.#url = url;
  }

  take(key: string, limit: number): Promise<WindowCount> {
    this.#connection ??= this.#connect();
    const connection = this.#connection;
    const counted = connection.ready.then(() => connection.client.takeOne(key, limit));
    return withStoreTimeout(counted, () => this.#drop(connection));
  }

  async close(): Promise<void> {
    if (this.#connection) this.#drop(this.#connection);
  }

  #connect(): Connection {
    const client = createRedisClient(this.#url);
    const connection = { client, ready: client.connect() };
    // An `error` event without a listener would end the process. Pending requests fail on their own.
    client.on('error', () => this.#drop(connection));
    return connection;
  }

  #drop(connection: Connection): void {
    if (this.#connection === connection) this.#connection = undefined;
    if (connection.client.isOpen) connection.client.destroy();
  }
}

/** Creates a client for one connection, which does not reconnect by itself. */
function createRedisClient(url: string) {
  return createClient({
    url,
    // The older protocol, which every Redis version and compatible server supports.
    RESP: 2,
    socket: { connectTimeout: storeTimeoutMs, reconnectStrategy: false },
    disableClientInfo: true,
    scripts: { takeOne },
  });
}

/** Returns the URL without user and password. */
function describeRedis(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
