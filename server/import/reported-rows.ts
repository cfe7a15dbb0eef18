/** The rows of which an import has something to say, in a temporary SQLite file: that may be all rows of a long file. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type ReportedRow = { readonly row: number; readonly reason: string };

/** 2 MiB of it are in memory. */
const cacheKibibytes = 2048;

export class ReportedRows {
  readonly #database = new DatabaseSync('');
  readonly #insert: StatementSync;
  #count = 0;

  constructor() {
    this.#database.exec(
      `pragma cache_size = -${cacheKibibytes}; pragma synchronous = off; pragma journal_mode = off; begin`,
    );
    this.#database.exec('create table reported ("row" integer primary key, reason text not null)');
    this.#insert = this.#database.prepare('insert into reported ("row", reason) values (?, ?)');
  }

  get count(): number {
    return this.#count;
  }

  /** Each row once. */
  add(row: number, reason: string): void {
    this.#insert.run(row, reason);
    this.#count++;
  }

  /** In the order of the file, a page at a time. */
  *pages(pageRows = 1000): Generator<ReportedRow[], void, void> {
    const select = this.#database.prepare('select "row", reason from reported where "row" > ? order by "row" limit ?');
    for (let after = 0; ; ) {
      const rows = select.all(after, pageRows) as ReportedRow[];
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = last.row;
    }
  }

  /** Also deletes the temporary file. */
  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
