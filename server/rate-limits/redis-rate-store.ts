/** Counts in a Redis server, which several server processes share. */
import { createClient, defineScript } from '@redis/client';
import { windowMs } from './rate-counter.ts';
import { answerWithinMs, type RateStore, withinTime } from './rate-store.ts';

const prefix = 'latchkey:rate:';

/** Redis runs a script alone, and ends the window itself. A key without an end is none of ours: it gets one. */
const takeOne = defineScript({
  SCRIPT: `
    local passed = tonumber(redis.call('get', KEYS[1])) or 0
    local admitted = passed < tonumber(ARGV[1])
    if admitted then passed = redis.call('incr', KEYS[1]) end
    local left = redis.call('pttl', KEYS[1])
    if left < 0 then
      left = tonumber(ARGV[2])
      redis.call('pexpire', KEYS[1], left)
    end
    return { admitted and 1 or 0, passed, left }`,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser, key: string, limit: number) {
    parser.pushKey(prefix + key);
    parser.push(String(limit), String(windowMs));
  },
  transformReply: ([admitted, passed, leftMs]: [number, number, number]) => ({
    admitted: admitted === 1,
    passed,
    leftMs,
  }),
});

/** It connects when it first counts, and again, when it counts next, after a connection was lost. */
export function createRedisRateStore(url: string): RateStore {
  let current: Connection | undefined;

  const drop = (lost: Connection | undefined) => {
    if (current === lost) current = undefined;
    if (lost?.client.isOpen) lost.client.destroy();
  };
  const connected = () => {
    if (!current) {
      const client = createRedisClient(url);
      const connection = { client, ready: client.connect() };
      // An error without a listener would end the process; whoever waits for an answer is told as well.
      client.on('error', () => drop(connection));
      current = connection;
    }
    return current;
  };
  return {
    address: describeRedis(url),
    take(key, limit) {
      const connection = connected();
      const counted = connection.ready.then(() => connection.client.takeOne(key, limit));
      return withinTime(counted, () => drop(connection));
    },
    async close() {
      drop(current);
    },
  };
}

type Client = ReturnType<typeof createRedisClient>;
type Connection = { readonly client: Client; readonly ready: Promise<unknown> };

/** A client for one connection: when to try again is not its business. */
function createRedisClient(url: string) {
  return createClient({
    url,
    // The older protocol: every Redis and what stands in for it speaks it.
    RESP: 2,
    socket: { connectTimeout: answerWithinMs, reconnectStrategy: false },
    disableClientInfo: true,
    scripts: { takeOne },
  });
}

/** The server of a URL for people: without user and password. */
function describeRedis(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
