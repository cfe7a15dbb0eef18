/** Counts requests in a table of the PostgreSQL database, shared by all its server processes. */
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { createBatchLoader } from '../batch-loader.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { describePostgres } from '../database/postgres-database.ts';
import { openPool } from '../database/postgres-pool.ts';
import { lockByName } from '../database/row-locks.ts';
import { runWithDeadline } from '../deadline.ts';
import { type RateStore, storeTimeoutMs, type WindowCount, windowMs, withStoreTimeout } from './rate-counter.ts';

/** Size of a separate pool, so that rate limits and other queries do not wait for each other. */
const connectionCount = 2;

/** One batch per connection; what arrives meanwhile goes into the next one. */
const batchLimits = { maxBatchSize: 500, maxRunning: connectionCount, maxWaiting: 10_000 };

/**
 * Time in ms after which an unresponsive connection is replaced. Longer than requests wait for it, so that a process
 * that was itself busy does not destroy a working connection.
 */
const connectionTimeoutMs = 5 * storeTimeoutMs;

/**
 * Not a migration, because its content matters for only a minute and is in no backup. UNLOGGED, with half-filled pages,
 * so that an update stays in its page and never waits for the disk.
 */
const createTable = sql`
  create unlogged table if not exists rate_windows (
    client text primary key,
    ends_at_ms bigint not null,
    passed integer not null,
    admitted boolean not null
  ) with (fillfactor = 50)`;

/**
 * `excluded` is the window that would start now. A window that ends much later was created before the clock was set
 * back.
 */
const hasEnded = `(known.ends_at_ms <= excluded.ends_at_ms - ${windowMs} or known.ends_at_ms > excluded.ends_at_ms + ${windowMs})`;

const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/**
 * Counts requests of several clients ($1), the given number for each ($2), against the same limit ($3). `passed` may
 * exceed the limit by the last requests, so that the count before this statement can be derived from it. Every process
 * locks the rows in the same order.
 */
const takeMany = `
  insert into rate_windows as known (client, ends_at_ms, passed, admitted)
  select client, ${nowMs} + ${windowMs}, requests, true
  from unnest($1::text[], $2::integer[]) as asking (client, requests)
  on conflict (client) do update set
    ends_at_ms = case when ${hasEnded} then excluded.ends_at_ms else known.ends_at_ms end,
    passed = case
      when ${hasEnded} then excluded.passed
      when known.passed < $3::integer then known.passed + excluded.passed
      else known.passed
    end,
    admitted = ${hasEnded} or known.passed < $3::integer
  returning client, admitted, passed, ends_at_ms - ${nowMs} as left_ms`;

type Row = { client: string; admitted: boolean; passed: number; left_ms: number };

type Asking = { readonly key: string; readonly limit: number };

const deleteEnded = `delete from rate_windows where ends_at_ms <= ${nowMs}`;

type PostgresRateStoreDeps = {
  readonly url: string;
  readonly database: Database;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Opens the store and creates its table if missing. Throws like `Database.write`. */
export async function openPostgresRateStore(deps: PostgresRateStoreDeps): Promise<RateStore> {
  await deps.database.write(async (transaction) => {
    await lockByName(transaction, 'rate windows');
    await createTable.execute(transaction);
  });
  return new PostgresRateStore(deps);
}

class PostgresRateStore implements RateStore {
  readonly address: string;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #pool: Pool;
  readonly #count = createBatchLoader<Asking, WindowCount>({
    run: (asking) => this.#countAll(asking),
    ...batchLimits,
  });
  #cleanedAtMs: number;

  constructor({ url, clock }: PostgresRateStoreDeps) {
    this.address = describePostgres(url);
    this.#clock = clock;
    this.#pool = openPool(url, connectionCount, {
      connectTimeoutMs: connectionTimeoutMs,
      queryTimeoutMs: connectionTimeoutMs,
    });
    this.#cleanedAtMs = clock.monotonic();
  }

  async take(key: string, limit: number): Promise<WindowCount> {
    // Runs without the request's deadline: if the request ends, that must not look like an outage of the store.
    const window = await runWithDeadline(undefined, () => this.#count({ key, limit }));
    if (this.#clock.monotonic() - this.#cleanedAtMs >= windowMs) {
      this.#cleanedAtMs = this.#clock.monotonic();
      this.#deleteEndedWindows().catch(() => undefined);
    }
    return window;
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #countAll(asking: readonly Asking[]): Promise<WindowCount[]> {
    const counted = new Map<string, WindowCount[]>();
    const byLimit = Map.groupBy(asking, ({ limit }) => limit);
    await Promise.all([...byLimit].map(([limit, of]) => this.#countWithLimit(limit, of, counted)));
    return asking.map(({ key, limit }) => takeNext(counted, `${limit} ${key}`));
  }

  async #countWithLimit(limit: number, asking: readonly Asking[], counted: Map<string, WindowCount[]>): Promise<void> {
    const requests = new Map<string, number>();
    for (const { key } of asking) requests.set(key, (requests.get(key) ?? 0) + 1);
    const clients = [...requests.keys()].sort();
    const parameters = [clients, clients.map((client) => requests.get(client)), limit];
    const counting = this.#pool.query<Row>(takeMany, parameters);
    const { rows } = await withStoreTimeout(counting, () => undefined);
    for (const row of rows) counted.set(`${limit} ${row.client}`, toWindows(row, requests.get(row.client) ?? 0, limit));
  }

  /** Deletes the windows of clients that never return. */
  async #deleteEndedWindows(): Promise<void> {
    await this.#pool.query(deleteEnded);
  }
}

/** Returns the window as each of the requests found it, in order. */
function toWindows({ admitted, passed, left_ms }: Row, requests: number, limit: number): WindowCount[] {
  const before = admitted ? passed - requests : limit;
  return Array.from({ length: requests }, (_, index) => ({
    allowed: before + index < limit,
    count: Math.min(before + index + 1, limit),
    remainingMs: left_ms,
  }));
}

function takeNext(counted: ReadonlyMap<string, WindowCount[]>, key: string): WindowCount {
  const window = counted.get(key)?.shift();
  if (!window) throw new Error('no row was returned');
  return window;
}
