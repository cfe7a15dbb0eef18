/** Describes how two states of a database differ in tables, columns and indexes. */
import type { DatabaseSync } from 'node:sqlite';

/** Columns by table, and table by index. */
type Schema = {
  readonly tables: ReadonlyMap<string, readonly string[]>;
  readonly indexes: ReadonlyMap<string, string>;
};

export type Change = {
  readonly kind: 'create table' | 'drop table' | 'add column' | 'drop column' | 'create index' | 'drop index';
  readonly table: string;
  /** The name of the column or index; empty for a table. */
  readonly name: string;
};

export function readSchema(connection: DatabaseSync): Schema {
  const rows = connection
    .prepare("select type, name, tbl_name from sqlite_master where name not like 'sqlite_%' order by name")
    .all();
  const names = rows.filter(({ type }) => type === 'table').map(({ name }) => String(name));
  const columns = connection.prepare('select name from pragma_table_info(?)');
  return {
    tables: new Map(names.map((table) => [table, columns.all(table).map(({ name }) => String(name))])),
    indexes: new Map(
      rows.filter(({ type }) => type === 'index').map(({ name, tbl_name }) => [String(name), String(tbl_name)]),
    ),
  };
}

/** Finds the changes. Indexes of a new table are not listed, since they are part of it. */
export function findChanges(before: Schema, after: Schema): Change[] {
  const isNew = (table: string) => !before.tables.has(table);
  const created = [...after.tables.keys()].filter(isNew);
  const dropped = [...before.tables.keys()].filter((table) => !after.tables.has(table));
  const columns = (from: Schema, to: Schema) =>
    [...to.tables].flatMap(([table, names]) => {
      const known = from.tables.get(table);
      return known ? names.filter((name) => !known.includes(name)).map((name) => ({ table, name })) : [];
    });
  const indexes = (from: Schema, to: Schema) =>
    [...to.indexes].filter(([name, table]) => !from.indexes.has(name) && from.tables.has(table));
  return [
    ...created.map((table): Change => ({ kind: 'create table', table, name: '' })),
    ...dropped.map((table): Change => ({ kind: 'drop table', table, name: '' })),
    ...columns(before, after).map((column): Change => ({ kind: 'add column', ...column })),
    ...columns(after, before).map((column): Change => ({ kind: 'drop column', ...column })),
    ...indexes(before, after).map(([name, table]): Change => ({ kind: 'create index', table, name })),
    ...indexes(after, before).map(([name, table]): Change => ({ kind: 'drop index', table, name })),
  ];
}

/** Describes the changes in one sentence. */
export function describeChanges(changes: readonly Change[], rows: Readonly<Record<string, number>>): string {
  const phrases = changes.map((change) => describeChange(change, rows[change.table] ?? 0));
  const sentence = phrases.join('; ') || 'changes no table';
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function describeChange({ kind, table, name }: Change, rows: number): string {
  const filled = `${table} (${count(rows)})`;
  return {
    'create table': `creates the table ${table}`,
    'drop table': `deletes the table ${filled}`,
    'add column': `adds the column ${name} to ${filled}`,
    'drop column': `deletes the column ${name} of ${filled}`,
    'create index': `creates the index ${name} on ${filled}`,
    'drop index': `deletes the index ${name} of ${table}`,
  }[kind];
}

function count(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}
