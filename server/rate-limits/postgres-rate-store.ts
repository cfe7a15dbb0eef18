/** Counts in a table of the PostgreSQL database, which all its server processes share. */
import { type PostgresPool, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { describePostgres } from '../database/postgres-database.ts';
import { createPostgresPool } from '../database/postgres-driver.ts';
import { windowMs } from './rate-counter.ts';
import { answerWithinMs, type RateStore, withinTime } from './rate-store.ts';

/** Apart from those of the other queries, so that neither has to wait for the other. */
const connections = 4;

/**
 * Not among the migrations: what it holds is forgotten within a minute, and is in no backup.
 * UNLOGGED and half-filled pages: a count is changed in its place and never waits for the disk.
 */
const createTable = sql`
  create unlogged table if not exists rate_windows (
    client text primary key,
    ends_at_ms bigint not null,
    passed integer not null,
    admitted boolean not null
  ) with (fillfactor = 50)`;

/** `excluded` is the window that would begin now. One that ends later than it ever could is left from a clock set back. */
const hasEnded = `(known.ends_at_ms <= excluded.ends_at_ms - ${windowMs} or known.ends_at_ms > excluded.ends_at_ms + ${windowMs})`;

const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const takeOne = `
  insert into rate_windows as known (client, ends_at_ms, passed, admitted)
  values ($1, ${nowMs} + ${windowMs}, 1, true)
  on conflict (client) do update set
    ends_at_ms = case when ${hasEnded} then excluded.ends_at_ms else known.ends_at_ms end,
    passed = case when ${hasEnded} then 1 when known.passed < $2::integer then known.passed + 1 else known.passed end,
    admitted = ${hasEnded} or known.passed < $2::integer
  returning admitted, passed, ends_at_ms - ${nowMs} as left_ms`;

type Row = { admitted: boolean; passed: number; left_ms: number };

const prune = `delete from rate_windows where ends_at_ms <= ${nowMs}`;

/** Makes its table where it is missing. Throws as `Database.write` does. */
export async function openPostgresRateStore(
  url: string,
  database: Database,
  monotonic: () => number,
): Promise<RateStore> {
  await database.write((transaction) => createTable.execute(transaction));
  const pool = createPostgresPool(url, connections, answerWithinMs);
  let prunedAt = monotonic();
  return {
    address: describePostgres(url),
    async take(key, limit) {
      const { admitted, passed, left_ms } = await countOne(pool, [key, limit]);
      if (monotonic() - prunedAt >= windowMs) {
        prunedAt = monotonic();
        pruneEnded(pool).catch(() => undefined);
      }
      return { admitted, passed, leftMs: left_ms };
    },
    close: () => pool.end(),
  };
}

async function countOne(pool: PostgresPool, parameters: readonly unknown[]): Promise<Row> {
  const client = await pool.connect();
  let keep = true;
  try {
    const { rows } = await withinTime(client.query<Row>(takeOne, parameters), () => {
      keep = false;
    });
    if (!rows[0]) throw new Error('no row came back');
    return rows[0];
  } finally {
    client.release(!keep);
  }
}

/** Windows that are over are nobody's; without this those of clients that never return would stay. */
async function pruneEnded(pool: PostgresPool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(prune, []);
  } finally {
    client.release();
  }
}
