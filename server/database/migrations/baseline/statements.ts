/** Parts of the baseline's statements that differ between SQLite and PostgreSQL. */
import { type Executor, isPostgres } from '../../database.ts';

/** Declares a boolean column, a type that SQLite does not have. */
export const flag = (name: string): string => `${name} bigint not null check (${name} in (0, 1))`;

/** Follows an index column that searches use: compares bytes, as SQLite does by default. */
export const binary = '{binary}';

/** Precedes a statement that SQLite does not need. */
export const onlyPostgres = '{postgres}';

/** Follows a SQLite table whose rows are looked up only by primary key. */
export const withoutRowid = '{without rowid}';

/** Returns the statements in the SQL of the database. */
export function writeStatements(statements: readonly string[], executor: Executor): string[] {
  return isPostgres(executor)
    ? statements.map(toPostgres)
    : statements.filter((statement) => !statement.startsWith(onlyPostgres)).map(toSqlite);
}

/** Converts a statement to SQLite: STRICT tables have no type bigint, and their integers have 64 bits anyway. */
function toSqlite(statement: string): string {
  const typed = statement.replaceAll(' bigint', ' integer').replaceAll(binary, '');
  if (!typed.startsWith('create table')) return typed;
  return typed.endsWith(withoutRowid) ? `${typed.replace(withoutRowid, '')} strict, without rowid` : `${typed} strict`;
}

function toPostgres(statement: string): string {
  return statement.replace(onlyPostgres, '').replaceAll(binary, ' collate "C"').replace(withoutRowid, '');
}
