/** The result of an import, which stays small however many rows are refused. */

export type RefusedRow = { readonly row: number; readonly reason: string };

export class ImportReport {
  rows = 0;
  imported = 0;
  readonly #refusedRows: number[] = [];
  readonly #reasons: string[] = [];
  /** The same text once, however often it occurs. */
  readonly #texts = new Map<string, string>();

  get refusedCount(): number {
    return this.#refusedRows.length;
  }

  refuse(row: number, reason: string): void {
    const text = this.#texts.get(reason) ?? reason;
    if (this.#texts.size < 1000) this.#texts.set(text, text);
    this.#refusedRows.push(row);
    this.#reasons.push(text);
  }

  /** In the order of the file, a page at a time. */
  *refusedPages(pageRows = 1000): Generator<RefusedRow[], void, void> {
    for (let start = 0; start < this.#refusedRows.length; start += pageRows) {
      const rows = this.#refusedRows.slice(start, start + pageRows);
      yield rows.map((row, index) => ({ row, reason: this.#reasons[start + index] ?? '' }));
    }
  }
}
