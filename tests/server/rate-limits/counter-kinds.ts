/** Every kind of rate counter behind one interface, so that one table of cases applies to all of them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Database } from '../../../server/database/database.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { openSqlite } from '../../../server/database/sqlite-database.ts';
import { openRateCounter } from '../../../server/rate-limits/open-rate-counter.ts';
import type { RateCounter } from '../../../server/rate-limits/rate-counter.ts';
import { createFakeClock, type FakeClock } from '../../harness/fake-clock.ts';
import { findPostgres, query, startPostgres, type TestPostgres } from '../../harness/postgres.ts';
import { findRedis, startRedis, type TestRedis } from '../../harness/redis.ts';
import { TcpProxy } from '../../harness/tcp-proxy.ts';

export type TestCounter = {
  readonly counter: RateCounter;
  /** The counter of another process on the same store; the same counter if nothing is shared. */
  readonly other: RateCounter;
  readonly clock: FakeClock;
  /** Lets time pass, in the store as well. */
  advance(milliseconds: number): Promise<void>;
  /** The proxy between `counter` and its store, if there is one. */
  readonly proxy: TcpProxy | undefined;
  /** The log of `counter`, one JSON line per entry. */
  readonly log: readonly string[];
};

export type CounterKind = {
  readonly name: string;
  readonly isInstalled: boolean;
  setUp(): Promise<void>;
  tearDown(): Promise<void>;
  /** Opens a counter, and closes it when the test is over. */
  open(): Promise<TestCounter>;
};

export const memory: CounterKind = {
  name: 'memory',
  isInstalled: true,
  setUp: async () => undefined,
  tearDown: async () => undefined,
  async open() {
    const clock = createFakeClock();
    const { counter, log } = await openOne({}, await openTemporary(clock), clock);
    return { counter, other: counter, clock, advance: async (ms) => clock.advance(ms), proxy: undefined, log };
  },
};

export function createPostgresKind(): CounterKind & { lastUrl(): string } {
  const programs = findPostgres();
  let postgres: TestPostgres | undefined;
  let url = '';
  return {
    name: 'PostgreSQL',
    isInstalled: programs !== undefined,
    lastUrl: () => url,
    async setUp() {
      postgres = await startPostgres(programs ?? '');
    },
    tearDown: async () => postgres?.stop(),
    async open() {
      url = (await postgres?.createDatabase()) ?? '';
      const clock = createFakeClock();
      const proxy = await TcpProxy.start(Number(new URL(url).port));
      const database = await openPostgres(url, clock);
      const one = await openOne({ databaseUrl: proxy.through(url) }, database, clock);
      const { counter: other } = await openOne({ databaseUrl: url }, database, clock);
      const advance = async (ms: number) => {
        clock.advance(ms);
        await query(url, `update rate_windows set ends_at_ms = ends_at_ms - ${ms}`);
      };
      return { ...one, other, clock, advance, proxy };
    },
  };
}

export function createRedisKind(): CounterKind & { redis(): TestRedis } {
  const program = findRedis();
  let redis: TestRedis | undefined;
  const started = () => {
    if (!redis) throw new Error('setUp comes first');
    return redis;
  };
  return {
    name: 'Redis',
    isInstalled: program !== undefined,
    redis: started,
    async setUp() {
      redis = await startRedis(program ?? '');
    },
    tearDown: async () => redis?.stop(),
    async open() {
      const { url, port, command } = started();
      await command('FLUSHALL');
      const clock = createFakeClock();
      const proxy = await TcpProxy.start(port);
      const database = await openTemporary(clock);
      const one = await openOne({ redisUrl: proxy.through(url) }, database, clock);
      const { counter: other } = await openOne({ redisUrl: url }, database, clock);
      const advance = async (ms: number) => {
        clock.advance(ms);
        await command('EVAL', shorten, '0', String(ms));
      };
      return { ...one, other, clock, advance, proxy };
    },
  };
}

/** Shortens the expiry of every key; Redis deletes a key whose new expiry time is in the past. */
const shorten = `
  for _, key in ipairs(redis.call('keys', '*')) do
    redis.call('pexpire', key, redis.call('pttl', key) - tonumber(ARGV[1]))
  end`;

function openTemporary(clock: FakeClock): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-rates-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return openSqlite(join(folder, 'latchkey.db'), clock);
}

type Urls = { databaseUrl?: string; redisUrl?: string };

async function openOne({ databaseUrl, redisUrl }: Urls, database: Database, clock: FakeClock) {
  const log: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => log.push(line) });
  const counter = await openRateCounter({ config: { databaseUrl, redisUrl }, database, clock, logger });
  onTestFinished(async () => {
    await counter.close();
    await database.close();
  });
  return { counter, log };
}
