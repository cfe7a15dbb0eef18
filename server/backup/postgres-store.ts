/** A PostgreSQL database as a store; its copies are SQLite files, so that a backup fits either kind. */
import { type ControlledTransaction, Kysely, PostgresDialect, sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import { describePostgres } from '../database/postgres-database.ts';
import { applicationName, createPostgresPool, WritingPostgresDialect } from '../database/postgres-driver.ts';
import type { Tables } from '../database/tables.ts';
import { BackupError } from './backup-error.ts';
import { copyTables } from './copy-tables.ts';
import { inspectData } from './inspection.ts';
import { fillSqliteFile, withSqliteFile } from './sqlite-file.ts';
import type { HeldStore, Store } from './store.ts';

export function createPostgresStore(url: string): Store {
  return {
    kind: 'postgres',
    location: { database_address: describePostgres(url) },
    copyTo: (file) =>
      reading(url, async (executor) => {
        await requireOurs(executor, url);
        await copyToSqlite(executor, file);
      }),
    inspect: (secretsFile) =>
      reading(url, async (executor) => {
        await requireOurs(executor, url);
        const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(
          executor,
        );
        return { ...(await inspectData(executor, secretsFile)), bytes: Number(rows[0]?.bytes ?? 0) };
      }),
    hold: () => holdDatabase(url),
  };
}

/** Everything that `work` reads is of one moment. */
async function reading<T>(url: string, work: (executor: Executor) => Promise<T>): Promise<T> {
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createPostgresPool(url, 1) }) });
  try {
    return await database.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work);
  } finally {
    await database.destroy();
  }
}

const copyToSqlite = (executor: Executor, file: string) =>
  fillSqliteFile(file, (transaction) =>
    copyTables({ executor, dialect: 'postgres' }, { transaction, dialect: 'sqlite' }),
  );

async function listTables(executor: Executor): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(executor);
  return rows.map(({ name }) => name);
}

async function requireOurs(executor: Executor, url: string): Promise<void> {
  const tables = await listTables(executor);
  if (tables.includes('migrations')) return;
  if (tables.length === 0) throw new BackupError('NOT_FOUND', `There is nothing yet in ${describePostgres(url)}.`);
  throw new BackupError('OTHER_DATABASE', `${describePostgres(url)} is not a database of this service.`);
}

/** One transaction from here to the end: it holds the lock of those who write, and nothing is replaced until it commits. */
async function holdDatabase(url: string): Promise<HeldStore> {
  const database = new Kysely<Tables>({ dialect: new WritingPostgresDialect({ pool: createPostgresPool(url, 1) }) });
  let transaction: ControlledTransaction<Tables> | undefined;
  const release = async () => {
    if (transaction && !transaction.isCommitted)
      await transaction
        .rollback()
        .execute()
        .catch(() => undefined);
    await database.destroy();
  };
  try {
    transaction = await database.startTransaction().execute();
    // A large backup takes its time to be read, while this transaction waits.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(transaction);
    await refuseOthers(transaction, url);
    return heldDatabase(transaction, { url, tables: await listTables(transaction), release });
  } catch (error) {
    await release();
    throw error;
  }
}

type Held = { readonly url: string; readonly tables: readonly string[]; readonly release: () => Promise<void> };

function heldDatabase(transaction: ControlledTransaction<Tables>, { url, tables, release }: Held): HeldStore {
  return {
    isThere: tables.length > 0,
    release,
    async keepIn(folder) {
      await requireOurs(transaction, url);
      await copyToSqlite(transaction, `${folder}/latchkey.db`);
    },
    async replaceWith(file, putSecrets) {
      for (const table of tables) await sql`drop table ${sql.table(table)} cascade`.execute(transaction);
      await withSqliteFile(file, ({ executor }) =>
        copyTables({ executor, dialect: 'sqlite' }, { transaction, dialect: 'postgres' }),
      );
      putSecrets();
      await transaction.commit().execute();
    },
  };
}

async function refuseOthers(executor: Executor, url: string): Promise<void> {
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
