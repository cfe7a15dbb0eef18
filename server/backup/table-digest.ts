/** An order-independent digest of a table's rows, for comparing databases of different kinds. */
import { hash } from 'node:crypto';

export type TableSummary = {
  readonly rows: number;
  /** XOR of the SHA-256 of every row, in hex. No two rows of a table are equal, because each has a key. */
  readonly digest: string;
};

export class TableDigest {
  readonly #combined = Buffer.alloc(32);
  #columns: readonly string[] | undefined;
  #rows = 0;

  add(rows: readonly Readonly<Record<string, unknown>>[]): void {
    for (const row of rows) {
      this.#columns ??= Object.keys(row).sort();
      const values = JSON.stringify(this.#columns.map((column) => row[column]));
      this.#combine(hash('sha256', values, 'buffer'));
    }
    this.#rows += rows.length;
  }

  #combine(rowHash: Buffer): void {
    const combined = this.#combined;
    for (let index = 0; index < combined.length; index++) {
      combined[index] = (combined[index] ?? 0) ^ (rowHash[index] ?? 0);
    }
  }

  summary(): TableSummary {
    return { rows: this.#rows, digest: this.#combined.toString('hex') };
  }
}
