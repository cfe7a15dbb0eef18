/** The store in PostgreSQL. Copies of it are SQLite files, so that a backup fits either kind of database. */
import { join } from 'node:path';
import { type ControlledTransaction, type Kysely, sql } from 'kysely';
import { syncPath } from '../atomic-write.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { DatabaseUnavailable, isPostgresDiskFailure } from '../database/database-errors.ts';
import {
  describePostgres,
  explainingUnusable,
  listPostgresTables,
  openExecutor,
} from '../database/postgres-database.ts';
import { longTimeouts } from '../database/postgres-dialect.ts';
import { applicationName } from '../database/postgres-pool.ts';
import { probeSpace } from '../database/probe.ts';
import { lockByName } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';
import { messageOf } from '../errors.ts';
import { copyTables } from './copy-tables.ts';
import { type InspectionInput, inspect } from './inspection.ts';
import { fillSqliteFile, withSqliteFile } from './sqlite-file.ts';
import { BackupError, type LockedStore, type Store, type StoreInspection } from './store.ts';

export class PostgresStore implements Store {
  readonly kind = 'postgres';
  readonly location: { readonly database_address: string };
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
    this.location = { database_address: describePostgres(url) };
  }

  requireFile(): void {}

  copyTo(path: string): Promise<void> {
    return this.#readSnapshot((executor) => copyToSqlite(executor, path));
  }

  async inspect(input: InspectionInput): Promise<StoreInspection> {
    const inspecting = this.#readSnapshot(async (executor) => {
      const size = sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
      const { rows } = await size.execute(executor);
      const found = await inspect(executor, input);
      const problems = [...found.problems, ...(await findReadOnly(executor, this.#url))];
      return { ...found, problems, bytes: Number(rows[0]?.bytes ?? 0) };
    });
    const [found, full] = [await inspecting, await this.#findFullDisk()];
    return { ...found, problems: [...found.problems, ...full] };
  }

  async #findFullDisk(): Promise<string[]> {
    try {
      await this.write(probeSpace);
      return [];
    } catch (error) {
      // A role without the privilege, or a read-only database, says nothing about the disk.
      if (!isPostgresDiskFailure(error)) return [];
      const reason = error instanceof DatabaseUnavailable ? messageOf(error.cause) : messageOf(error);
      return [`nothing new can be stored in ${describePostgres(this.#url)} (${reason}): free some space on its disk`];
    }
  }

  async write(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    await using database = this.#open();
    await database.transaction().execute(work);
  }

  /**
   * Opens one transaction that lasts until the release: nobody else writes or migrates, and nothing is replaced until
   * it commits.
   */
  lock(): Promise<LockedStore> {
    return explainingUnusable(this.#url, () => this.#lock());
  }

  async #lock(): Promise<LockedStore> {
    const database = this.#open();
    let transaction: ControlledTransaction<Tables> | undefined;
    try {
      transaction = await database.startTransaction().execute();
      // This transaction is idle while a large backup is read.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
      await lockByName(transaction, 'migrations');
      await requireNoOtherConnection(transaction, this.#url);
      const tables = await listPostgresTables(transaction);
      for (const table of tables) await sql`lock table ${sql.table(table)} in exclusive mode`.execute(transaction);
      return new LockedPostgresStore({ url: this.#url, database, transaction, tables });
    } catch (error) {
      await endTransaction(database, transaction);
      throw error;
    }
  }

  #open(): Kysely<Tables> {
    return openExecutor(this.#url, 1, longTimeouts);
  }

  /** Runs `work` on a snapshot: everything that it reads is from the same moment. */
  async #readSnapshot<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    await using database = this.#open();
    const snapshot = database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    return await snapshot.execute(async (transaction) => {
      requireOwnTables(await listPostgresTables(transaction), this.#url);
      return work(transaction);
    });
  }
}

type LockedPostgresStoreDeps = {
  readonly url: string;
  readonly database: Kysely<Tables>;
  readonly transaction: ControlledTransaction<Tables>;
  /** Tables that existed when the database was locked. */
  readonly tables: readonly string[];
};

class LockedPostgresStore implements LockedStore {
  readonly exists: boolean;
  readonly #deps: LockedPostgresStoreDeps;

  constructor(deps: LockedPostgresStoreDeps) {
    this.#deps = deps;
    this.exists = deps.tables.length > 0;
  }

  async saveTo(folder: string): Promise<void> {
    const { url, transaction, tables } = this.#deps;
    requireOwnTables(tables, url);
    const path = join(folder, 'latchkey.db');
    await copyToSqlite(transaction, path);
    syncPath(path);
  }

  replaceWith(path: string): Promise<void> {
    const { url, transaction, tables } = this.#deps;
    return explainingUnusable(url, async () => {
      for (const table of tables) await sql`drop table ${sql.table(table)} cascade`.execute(transaction);
      await withSqliteFile(path, ({ executor }) => copyTables(executor, transaction));
      // Queries would be slow until PostgreSQL collects statistics by itself.
      await sql`analyze`.execute(transaction);
      await transaction.commit().execute();
    });
  }

  async read<T>(work: (executor: Executor) => Promise<T>): Promise<T> {
    const { url, transaction, tables } = this.#deps;
    requireOwnTables(tables, url);
    return work(transaction);
  }

  async fill(work: (transaction: Transaction) => Promise<void>): Promise<void> {
    const { url, transaction } = this.#deps;
    await explainingUnusable(url, () => work(transaction));
    await transaction.commit().execute();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return endTransaction(this.#deps.database, this.#deps.transaction);
  }
}

async function endTransaction(
  database: Kysely<Tables>,
  transaction: ControlledTransaction<Tables> | undefined,
): Promise<void> {
  if (transaction && !transaction.isCommitted) {
    // If the connection is broken, the server has already rolled back.
    await transaction
      .rollback()
      .execute()
      .catch(() => undefined);
  }
  await database.destroy();
}

function copyToSqlite(executor: Executor, path: string): Promise<void> {
  return fillSqliteFile(path, (transaction) => copyTables(executor, transaction));
}

/** Finds what keeps the server from writing anything. */
async function findReadOnly(executor: Executor, url: string): Promise<string[]> {
  const { rows } = await sql<{ standby: boolean; setting: string }>`
    select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only') as setting`.execute(
    executor,
  );
  const nothing = `nothing can be written to ${describePostgres(url)}`;
  if (rows[0]?.standby) return [`${nothing}: it is a standby, so name the primary in DATABASE_URL`];
  return rows[0]?.setting === 'on' ? [`${nothing}: default_transaction_read_only is on, so switch it off`] : [];
}

function requireOwnTables(tables: readonly string[], url: string): void {
  if (tables.includes('migrations')) return;
  if (tables.length === 0) throw new BackupError('NOT_FOUND', `There is nothing yet in ${describePostgres(url)}.`);
  throw new BackupError('OTHER_DATABASE', `${describePostgres(url)} is not a database of this service.`);
}

async function requireNoOtherConnection(executor: Executor, url: string): Promise<void> {
  const { rows } = await sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName} and pid <> pg_backend_pid()`.execute(
    executor,
  );
  if (rows.length === 0) return;
  throw new BackupError(
    'SERVER_RUNNING',
    `The server, or another command, uses ${describePostgres(url)}: stop it first.`,
  );
}
