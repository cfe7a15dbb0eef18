/** What a feature implements so that its records can be imported. */
import type { Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';

/** A row of the file by the names of its columns, trimmed; empty where it has no value. */
export type Fields = Readonly<Record<string, string>>;

/** Why a row is refused, or the row to insert and what no other row of the file may have. */
export type RowPlan<Row> =
  | { readonly refusal: string }
  | {
      readonly key: string;
      readonly row: Row;
      /** What of the row in the file is not done. */
      readonly warning?: string | undefined;
    };

export type RowImporter<Row = unknown> = {
  readonly columns: readonly string[];
  /** Those that the file must have. */
  readonly requiredColumns: readonly string[];
  /** The refusal of a row with the same key as one before it. */
  readonly duplicateRefusal: string;
  /** Called before the plan of the same transaction. */
  lock?(transaction: Transaction): Promise<void>;
  /** Decides on each row, in their order, without writing. */
  plan(executor: Executor, rows: readonly Fields[]): Promise<RowPlan<Row>[]>;
  /** Inserts the rows of plans that were made in the same transaction. */
  insert(transaction: Transaction, rows: readonly Row[]): Promise<void>;
  /** Called after a commit with such rows. */
  noteImported?(): void;
};

/** The plan that `decide` returns, or the refusal of the `ApiError` that it throws. */
export function planRow<Row>(decide: () => RowPlan<Row>): RowPlan<Row> {
  try {
    return decide();
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}
