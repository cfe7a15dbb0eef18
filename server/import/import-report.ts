/** The result of an import, which needs little memory however many rows are refused. To be closed once it has been printed. */
import { type RefusedRow, RefusedRows } from './refused-rows.ts';

export class ImportReport {
  rows = 0;
  imported = 0;
  readonly #refused = new RefusedRows();

  get refusedCount(): number {
    return this.#refused.count;
  }

  refuse(row: number, reason: string): void {
    this.#refused.add(row, reason);
  }

  /** In the order of the file, a page at a time. */
  refusedPages(): Generator<RefusedRow[], void, void> {
    return this.#refused.pages();
  }

  close(): void {
    this.#refused.close();
  }
}
