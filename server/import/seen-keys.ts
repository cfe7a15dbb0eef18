/** The keys of all rows so far, on disk if there are too many for memory. */
import { openTemporaryDatabase } from '../database/temporary-rows.ts';

export class SeenKeys {
  readonly #database = openTemporaryDatabase('create table seen (key text primary key) without rowid', 16_000);
  readonly #insert = this.#database.prepare('insert into seen (key) values (?) on conflict do nothing');

  /** Adds a key; returns false if it was already there. */
  add(key: string): boolean {
    return this.#insert.run(key).changes === 1;
  }

  close(): void {
    this.#database.close();
  }
}
