/** Rows and keys in a temporary SQLite file: every row of a long list may be among them, too many for memory. */
import { DatabaseSync } from 'node:sqlite';

/** Opens a database in a temporary file with a cache of this size in memory. Closing it deletes the file. */
export function openTemporaryDatabase(schema: string, cacheKibibytes = 4096): DatabaseSync {
  const database = new DatabaseSync('');
  database.exec(`pragma cache_size = -${cacheKibibytes}; pragma synchronous = off; pragma journal_mode = off; begin`);
  database.exec(schema);
  return database;
}

/** The rows of a report, of several kinds; `row` is the row's number in the list that is reported on. */
export class TemporaryRows<Kind extends string, Row extends { readonly row: number }> {
  readonly #database = openTemporaryDatabase(
    'create table reported (kind text, "row" integer, data text, primary key (kind, "row")) without rowid',
  );
  readonly #insert = this.#database.prepare('insert into reported (kind, "row", data) values (?, ?, ?)');

  /** Adds a row, which may be added only once per kind. */
  add(kind: Kind, row: Row): void {
    this.#insert.run(kind, row.row, JSON.stringify(row));
  }

  count(kind: Kind): number {
    const { rows } = this.#database.prepare('select count(*) as rows from reported where kind = ?').get(kind) ?? {};
    return Number(rows);
  }

  /** Yields the rows of one kind in order, one page at a time. */
  *pages(kind: Kind): Generator<Row[], void, void> {
    const select = this.#database.prepare(
      'select data from reported where kind = ? and "row" > ? order by "row" limit 500',
    );
    for (let after = 0; ; ) {
      const page = select.all(kind, after).map(({ data }) => JSON.parse(String(data)) as Row);
      const last = page.at(-1);
      if (last === undefined) return;
      yield page;
      after = last.row;
    }
  }

  /** Also deletes the temporary file. */
  close(): void {
    this.#database.close();
  }
}

/** A set of keys. */
export class TemporaryKeys {
  readonly #database = openTemporaryDatabase('create table seen (key text primary key) without rowid', 16_000);
  readonly #insert = this.#database.prepare('insert into seen (key) values (?) on conflict do nothing');

  /** Adds a key; returns false if it was already there. */
  add(key: string): boolean {
    return this.#insert.run(key).changes === 1;
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
