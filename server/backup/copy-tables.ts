/** Copies every row of one database into the tables of another, of whatever kind the two are. */
import { sql } from 'kysely';
import type { Dialect, Executor, Transaction } from '../database/database.ts';
import { migrateTo } from '../database/migrate.ts';
import { type Tables, tableOrder } from '../database/tables.ts';
import { BackupError } from './backup-error.ts';
import { inspectTables } from './inspect-tables.ts';

export type Source = { readonly executor: Executor; readonly dialect: Dialect };
export type Target = { readonly transaction: Transaction; readonly dialect: Dialect };

const rowsAtATime = 500;

/**
 * Makes the tables of the source in the empty target, and copies their rows.
 * The source stands still meanwhile: a PostgreSQL source is a transaction, for its rows come by cursors.
 * Throws `BackupError` NEWER_VERSION for tables that this version does not know.
 */
export async function copyTables(source: Source, target: Target): Promise<void> {
  const { migrations, unknownMigrations, rows } = await inspectTables(source.executor);
  const { transaction, dialect } = target;
  if (unknownMigrations.length > 0) {
    throw new BackupError('NEWER_VERSION', 'The database is of a newer version: only that one can copy it.');
  }
  await migrateTo(migrations, transaction, { dialect, nowMs: 0 });
  // What migrations bring along comes from the source as well.
  for (const table of tableOrder.toReversed()) {
    if (table in rows) await transaction.deleteFrom(table).execute();
  }
  for (const table of tableOrder) {
    if (!(table in rows)) continue;
    for await (const page of readPages(source, table)) await transaction.insertInto(table).values(page).execute();
  }
}

type Page = Tables[keyof Tables][];

function readPages(source: Source, table: keyof Tables): AsyncIterable<Page> {
  return source.dialect === 'sqlite' ? readSqlite(source.executor, table) : readByCursor(source.executor, table);
}

async function* readSqlite(executor: Executor, table: keyof Tables): AsyncIterable<Page> {
  let page: Page = [];
  for await (const row of executor.selectFrom(table).selectAll().stream()) {
    if (page.push(row) === rowsAtATime) {
      yield page;
      page = [];
    }
  }
  if (page.length > 0) yield page;
}

async function* readByCursor(executor: Executor, table: keyof Tables): AsyncIterable<Page> {
  await sql`declare page no scroll cursor for select * from ${sql.table(table)}`.execute(executor);
  for (;;) {
    const { rows } = await sql<Tables[keyof Tables]>`fetch ${sql.lit(rowsAtATime)} from page`.execute(executor);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close page`.execute(executor);
}
