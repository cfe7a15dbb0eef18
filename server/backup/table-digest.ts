/** An order-independent digest of a table's rows, for comparing databases of different kinds. */
import { hash } from 'node:crypto';

export type TableSummary = {
  readonly rows: number;
  /** XOR of the SHA-256 of every row, in hex. No two rows of a table are equal, because each has a key. */
  readonly digest: string;
};

export class TableDigest {
  #combined = 0n;
  #columns: readonly string[] | undefined;
  #rows = 0;

  add(rows: readonly Readonly<Record<string, unknown>>[]): void {
    for (const row of rows) {
      this.#columns ??= Object.keys(row).sort();
      const values = JSON.stringify(this.#columns.map((column) => row[column]));
      this.#combined ^= BigInt(`0x${hash('sha256', values)}`);
    }
    this.#rows += rows.length;
  }

  summary(): TableSummary {
    return { rows: this.#rows, digest: this.#combined.toString(16).padStart(64, '0') };
  }
}
