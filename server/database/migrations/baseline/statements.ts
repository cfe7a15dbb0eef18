/** What the statements of the baseline have that SQLite and PostgreSQL write differently. */
import type { Dialect } from '../../dialect.ts';

/** A column for a boolean, which SQLite does not have. */
export const flag = (name: string): string => `${name} bigint not null check (${name} in (0, 1))`;

/** After a column of an index that searches use: they compare bytes, as SQLite does by itself. */
export const binary = '{binary}';

/** Before a statement that SQLite does without. */
export const onlyPostgres = '{postgres}';

/** After a table of SQLite whose rows are found by its primary key only. */
export const withoutRowid = '{without rowid}';

/** The statements as the database understands them. */
export function writeStatements(statements: readonly string[], dialect: Dialect): string[] {
  return dialect === 'sqlite'
    ? statements.filter((statement) => !statement.startsWith(onlyPostgres)).map(toSqlite)
    : statements.map(toPostgres);
}

/** STRICT tables have no type bigint; their integers have 64 bits anyway. */
function toSqlite(statement: string): string {
  const typed = statement.replaceAll(' bigint', ' integer').replaceAll(binary, '');
  if (!typed.startsWith('create table')) return typed;
  return typed.endsWith(withoutRowid) ? `${typed.replace(withoutRowid, '')} strict, without rowid` : `${typed} strict`;
}

function toPostgres(statement: string): string {
  return statement.replace(onlyPostgres, '').replaceAll(binary, ' collate "C"').replace(withoutRowid, '');
}
