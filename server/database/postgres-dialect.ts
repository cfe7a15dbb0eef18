/** PostgreSQL for Kysely: Kysely's own dialect, plus time limits in each transaction. */
import {
  CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type TransactionSettings,
} from 'kysely';
import { runWithDeadline } from '../deadline.ts';
import type { PoolTimeouts } from './postgres-pool.ts';

export type PostgresTimeouts = PoolTimeouts & {
  /** How long a transaction may wait for a lock. */
  readonly lockTimeoutMs: number;
  /** How long a transaction may be idle before PostgreSQL ends it, since its process may be gone. */
  readonly idleTimeoutMs: number;
};

/** For the queries of a running server. */
export const shortTimeouts: PostgresTimeouts = {
  connectTimeoutMs: 5_000,
  queryTimeoutMs: 5_000,
  lockTimeoutMs: 2_000,
  idleTimeoutMs: 5_000,
};

/** For migrations, backup and restore, whose queries may read a whole table. */
export const longTimeouts: PostgresTimeouts = {
  connectTimeoutMs: 5_000,
  queryTimeoutMs: 30 * 60_000,
  longStatementMs: 20_000,
  lockTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
};

export class TimedPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #timeouts: PostgresTimeouts;

  constructor(config: PostgresDialectConfig, timeouts: PostgresTimeouts) {
    super(config);
    this.#config = config;
    this.#timeouts = timeouts;
  }

  override createDriver(): PostgresDriver {
    return new TimedPostgresDriver(this.#config, this.#timeouts);
  }
}

/** Kysely does not export this type. */
type PostgresConnection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class TimedPostgresDriver extends PostgresDriver {
  readonly #timeouts: PostgresTimeouts;

  constructor(config: PostgresDialectConfig, timeouts: PostgresTimeouts) {
    super(config);
    this.#timeouts = timeouts;
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(beginStatement(this.#timeouts, settings)));
  }

  /**
   * Rolls back even after the deadline of the request. If that fails, the connection is closed and PostgreSQL rolls
   * back.
   */
  override async rollbackTransaction(connection: PostgresConnection): Promise<void> {
    await runWithDeadline(undefined, () => super.rollbackTransaction(connection)).catch(() => undefined);
  }
}

/**
 * With read committed, each statement sees what was committed before it began, so data read after waiting for a lock is
 * current. The settings are local to the transaction, because behind PgBouncer the session is shared.
 */
function beginStatement(
  { queryTimeoutMs, lockTimeoutMs, idleTimeoutMs }: PostgresTimeouts,
  { isolationLevel = 'read committed', accessMode }: TransactionSettings,
): string {
  return `begin isolation level ${isolationLevel} ${accessMode ?? ''};
set local synchronous_commit = on;
set local statement_timeout = ${queryTimeoutMs};
set local lock_timeout = ${lockTimeoutMs};
set local idle_in_transaction_session_timeout = ${idleTimeoutMs};`;
}
