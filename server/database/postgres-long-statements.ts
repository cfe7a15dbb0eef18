/**
 * Checks whether a very long statement is still being executed. While PostgreSQL sends nothing, neither the connection
 * nor TCP reveals this: a proxy in between may keep the connection open by itself.
 */
import type { PostgresPoolClient } from 'kysely';
import { Pool, type PoolClient } from 'pg';
import { PeriodicTask } from '../periodic-task.ts';
import { systemScheduler } from '../scheduler.ts';

const checkTimeoutMs = 5_000;

/** A single check may fail because the statement has just ended. */
const maxFailedChecks = 2;

export type LongStatements = {
  /**
   * Returns the result of the statement. Rejects once PostgreSQL has twice in a row said that it is not executing it,
   * or failed to respond.
   */
  watch<T>(client: PoolClient, querying: Promise<T>): Promise<T>;
  end(): Promise<void>;
};

/** Checks every `intervalMs`, on a separate connection. */
export function watchLongStatements(url: string, intervalMs: number): LongStatements {
  const timeouts = { connectionTimeoutMillis: checkTimeoutMs, query_timeout: checkTimeoutMs, idleTimeoutMillis: 1_000 };
  const name = { application_name: 'latchkey-watch' };
  const pool = new Pool({ connectionString: url, ...name, ...timeouts, max: 1, allowExitOnIdle: true });
  pool.on('error', () => undefined);

  /** Behind a pooler, PostgreSQL does not know the connection; then it is enough that the server responds. */
  const isExecuting = async (client: PoolClient): Promise<boolean> => {
    const { processID = 0 } = client as PostgresPoolClient;
    const text = "select state = 'active' as is_active from pg_stat_activity where pid = $1";
    return await pool.query<{ is_active: boolean }>(text, [processID]).then(
      ({ rows }) => rows[0]?.is_active !== false,
      () => false,
    );
  };

  const watch = async <T>(client: PoolClient, querying: Promise<T>): Promise<T> => {
    const { promise: isLost, reject } = Promise.withResolvers<never>();
    let failedChecks = 0;
    const check = async () => {
      failedChecks = (await isExecuting(client)) ? 0 : failedChecks + 1;
      if (failedChecks >= maxFailedChecks) reject(new Error('the database does not execute the statement'));
    };
    const checking = new PeriodicTask({ scheduler: systemScheduler, intervalMs, run: check });
    checking.start();
    try {
      return await Promise.race([querying, isLost]);
    } finally {
      void checking.stop();
    }
  };

  return { watch, end: () => pool.end() };
}
