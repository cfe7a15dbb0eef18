/** Reads all rows of a database, and copies them into another one, of the same or the other kind. */
import { sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import { migrateTo } from '../database/migrate.ts';
import { type Tables, tableOrder } from '../database/tables.ts';
import { inspectTables } from './inspection.ts';
import { BackupError, type Source, type Target } from './store.ts';

const pageRows = 500;

/**
 * Creates the tables of the source in the empty target, at the version that the source has, and copies their rows.
 * The source must not change meanwhile; a PostgreSQL source is a transaction, because its rows are read by a cursor.
 * Returns the names of the tables. Throws `BackupError` NEWER_VERSION for tables that this version does not know.
 */
export async function copyTables(
  source: Source,
  target: Target,
  onRows: OnRows = () => undefined,
): Promise<readonly (keyof Tables)[]> {
  const { migrations, unknownMigrations, rows } = await inspectTables(source.executor);
  const { transaction, dialect } = target;
  if (unknownMigrations.length > 0) {
    throw new BackupError('NEWER_VERSION', 'The database is of a newer version: only that version can copy it.');
  }
  await migrateTo(migrations, transaction, { dialect, nowMs: 0 });
  // Rows that migrations insert, such as the plans, come from the source as well.
  const tables = tableOrder.filter((table) => table in rows);
  for (const table of tables.toReversed()) await transaction.deleteFrom(table).execute();
  for (const table of tables) {
    for await (const page of readPages(source, table)) {
      await transaction.insertInto(table).values(page).execute();
      onRows(table, page);
    }
  }
  return tables;
}

/** Passes the rows of every table to `onRows`, some of them at a time. */
export async function readTables(source: Source, onRows: OnRows): Promise<void> {
  const { rows } = await inspectTables(source.executor);
  for (const table of tableOrder) {
    if (table in rows) for await (const page of readPages(source, table)) onRows(table, page);
  }
}

type Page = Tables[keyof Tables][];
export type OnRows = (table: keyof Tables, rows: Page) => void;

function readPages(source: Source, table: keyof Tables): AsyncIterable<Page> {
  return source.dialect === 'sqlite' ? readSqlite(source.executor, table) : readByCursor(source.executor, table);
}

async function* readSqlite(executor: Executor, table: keyof Tables): AsyncIterable<Page> {
  let page: Page = [];
  for await (const row of executor.selectFrom(table).selectAll().stream()) {
    if (page.push(row) === pageRows) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

async function* readByCursor(executor: Executor, table: keyof Tables): AsyncIterable<Page> {
  await sql`declare page no scroll cursor for select * from ${sql.table(table)}`.execute(executor);
  for (;;) {
    const { rows } = await sql<Tables[keyof Tables]>`fetch ${sql.lit(pageRows)} from page`.execute(executor);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close page`.execute(executor);
}
