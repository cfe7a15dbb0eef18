/** Counts in a table of the PostgreSQL database, which all its server processes share. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { describePostgres } from '../database/postgres-database.ts';
import { PostgresPool } from '../database/postgres-pool.ts';
import { lockByName } from '../database/row-locks.ts';
import { runWithBudget } from '../request-budget.ts';
import { type RateStore, storeTimeoutMs, type WindowCount, windowMs, withStoreTimeout } from './rate-counter.ts';

/** In a pool of their own, so that neither rate limits nor other queries wait for each other. */
const connectionCount = 2;

/** When a silent connection is replaced. Longer than requests wait for it: a process that was busy must not destroy it. */
const connectionTimeoutMs = 5 * storeTimeoutMs;

/**
 * Not a migration: its content matters for a minute only, and is in no backup.
 * UNLOGGED, and pages half filled: an update stays in its page and never waits for the disk.
 */
const createTable = sql`
  create unlogged table if not exists rate_windows (
    client text primary key,
    ends_at_ms bigint not null,
    passed integer not null,
    admitted boolean not null
  ) with (fillfactor = 50)`;

/** `excluded` is the window that would start now. One that ends much later dates from before the clock was set back. */
const hasEnded = `(known.ends_at_ms <= excluded.ends_at_ms - ${windowMs} or known.ends_at_ms > excluded.ends_at_ms + ${windowMs})`;

const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const takeOne = `
  insert into rate_windows as known (client, ends_at_ms, passed, admitted)
  values ($1, ${nowMs} + ${windowMs}, 1, true)
  on conflict (client) do update set
    ends_at_ms = case when ${hasEnded} then excluded.ends_at_ms else known.ends_at_ms end,
    passed = case when ${hasEnded} then 1 when known.passed < $2::integer then known.passed + 1 else known.passed end,
    admitted = ${hasEnded} or known.passed < $2::integer
  returning admitted as allowed, passed as count, ends_at_ms - ${nowMs} as left_ms`;

const takeOneName = `rate_window_${createHash('sha256').update(takeOne).digest('hex').slice(0, 16)}`;

type Row = { allowed: boolean; count: number; left_ms: number };

const deleteEnded = `delete from rate_windows where ends_at_ms <= ${nowMs}`;

export type PostgresRateStoreDeps = {
  readonly url: string;
  readonly database: Database;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** Creates the table if it is missing. Throws as `Database.write` does. */
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
  readonly #pool: PostgresPool;
  #cleanedAtMs: number;

  constructor({ url, clock }: PostgresRateStoreDeps) {
    this.address = describePostgres(url);
    this.#clock = clock;
    this.#pool = new PostgresPool(url, connectionCount, {
      connectTimeoutMs: connectionTimeoutMs,
      queryTimeoutMs: connectionTimeoutMs,
    });
    this.#cleanedAtMs = clock.monotonic();
  }

  async take(key: string, limit: number): Promise<WindowCount> {
    const { allowed, count, left_ms } = await this.#count(key, limit);
    if (this.#clock.monotonic() - this.#cleanedAtMs >= windowMs) {
      this.#cleanedAtMs = this.#clock.monotonic();
      this.#deleteEndedWindows().catch(() => undefined);
    }
    return { allowed, count, remainingMs: left_ms };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  /** Counted whatever becomes of the request: its end must not look like an outage of the store. */
  #count(key: string, limit: number): Promise<Row> {
    return runWithBudget(undefined, () => this.#countOne(key, limit));
  }

  async #countOne(key: string, limit: number): Promise<Row> {
    const counting = this.#pool.query<Row>({ name: takeOneName, sql: takeOne, parameters: [key, limit] });
    const { rows } = await withStoreTimeout(counting, () => undefined);
    if (!rows[0]) throw new Error('no row was returned');
    return rows[0];
  }

  /** Without this, the windows of clients that never return would remain. */
  async #deleteEndedWindows(): Promise<void> {
    await this.#pool.query({ sql: deleteEnded });
  }
}
