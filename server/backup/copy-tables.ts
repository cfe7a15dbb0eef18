/** Reads all rows of a database, and copies them into another one of the same or the other kind. */
import { sql } from 'kysely';
import { type Executor, isPostgres, type Transaction } from '../database/database.ts';
import { applyMigrations, migrations } from '../database/migrate.ts';
import { type Tables, tableOrder } from '../database/tables.ts';
import { inBatches } from '../in-batches.ts';
import { inspectTables, listTables } from './inspection.ts';
import { requireKnownMigrations } from './known-migrations.ts';

const pageRows = 500;

/**
 * Creates the tables of the source in the empty target, at the source's version, and copies their rows. The source must
 * not change meanwhile; a PostgreSQL source must be a transaction, because its rows are read with a cursor. Returns the
 * names of the tables. Throws `BackupError` NEWER_VERSION or DEVELOPMENT_VERSION for tables that this version does not
 * know.
 */
export async function copyTables(
  source: Executor,
  target: Transaction,
  onRows: OnRows = () => undefined,
): Promise<readonly (keyof Tables)[]> {
  const found = await inspectTables(source);
  requireKnownMigrations(found, 'The database', 'only that version can copy it.');
  const { rows } = found;
  const applied = migrations.filter(({ name }) => found.migrations.includes(name));
  await applyMigrations(applied, target, 0);
  // Rows that migrations insert, such as the plans, come from the source as well.
  const tables = tableOrder.filter((table) => table in rows);
  for (const table of tables.toReversed()) await target.deleteFrom(table).execute();
  const indexes = await dropSqliteIndexes(target);
  for (const table of tables) {
    for await (const page of readPages(source, table)) {
      await insertPage(target, table, page);
      onRows(table, page);
    }
  }
  for (const index of indexes) await sql.raw(index).execute(target);
  return tables;
}

/**
 * Drops the indexes and returns the statements to recreate them: SQLite builds an index over all rows much faster than
 * row by row.
 */
async function dropSqliteIndexes(transaction: Transaction): Promise<string[]> {
  if (isPostgres(transaction)) return [];
  // Indexes of primary keys and unique columns have no statement.
  const { rows } = await sql<{ name: string; sql: string }>`
    select name, sql from sqlite_master where type = 'index' and sql is not null`.execute(transaction);
  for (const { name } of rows) await sql`drop index ${sql.ref(name)}`.execute(transaction);
  return rows.map((row) => row.sql);
}

/**
 * Inserts a page of rows. On SQLite one statement serves all rows, since compiling one per page takes longer than
 * executing it.
 */
async function insertPage(transaction: Transaction, table: keyof Tables, page: Page): Promise<void> {
  const [first] = page;
  if (isPostgres(transaction) || first === undefined) {
    await transaction.insertInto(table).values(page).execute();
    return;
  }
  const insert = transaction.insertInto(table).values(first).compile();
  for (const row of page) await transaction.executeQuery({ ...insert, parameters: Object.values(row) });
}

/** Passes the rows of every table to `onRows`, some of them at a time. */
export async function readTables(source: Executor, onRows: OnRows): Promise<void> {
  for (const table of await listTables(source)) {
    for await (const page of readPages(source, table)) onRows(table, page);
  }
}

type Page = Tables[keyof Tables][];
type OnRows = (table: keyof Tables, rows: Page) => void;

function readPages(source: Executor, table: keyof Tables): AsyncIterable<Page> {
  if (isPostgres(source)) return readByCursor(source, table);
  return inBatches(source.selectFrom(table).selectAll().stream(), pageRows);
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
