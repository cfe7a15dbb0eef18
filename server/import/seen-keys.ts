/** The keys of all rows so far, on a disk where there are too many for memory. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';

export class SeenKeys {
  readonly #database = new DatabaseSync('');
  readonly #insert: StatementSync;

  constructor() {
    this.#database.exec('pragma cache_size = -16000; pragma synchronous = off; pragma journal_mode = off');
    this.#database.exec('create table seen (key text primary key) without rowid');
    this.#insert = this.#database.prepare('insert into seen (key) values (?) on conflict do nothing');
  }

  /** Adds the key; false if it was there. */
  add(key: string): boolean {
    return this.#insert.run(key).changes === 1;
  }

  /** Also deletes the temporary file. */
  close(): void {
    this.#database.close();
  }
}
