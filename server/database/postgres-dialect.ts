/** Kysely's PostgreSQL dialect, with transactions that run one after the other in all processes on the database. */
import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
} from 'kysely';
import { applicationId } from './database-file.ts';

/** For how long a write waits for the others before it gives up. */
const lockWait = '10s';

/**
 * What a transaction begins with. The advisory lock makes writes serial, as SQLite's are: verdicts that were reached
 * on what was read in a transaction hold until its end. A process that hangs in the middle loses its turn.
 */
const begin = `begin;
set local synchronous_commit = on;
set local lock_timeout = '${lockWait}';
set local idle_in_transaction_session_timeout = '30s';
select pg_advisory_xact_lock(${applicationId});`;

/** A dialect for the connection that writes. */
export class WritingPostgresDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new SerialDriver(this.#config);
  }
}

class SerialDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // The transaction has begun when its turn does not come, and nobody else ends it; on a broken connection there is none.
      await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined);
      throw error;
    }
  }
}
