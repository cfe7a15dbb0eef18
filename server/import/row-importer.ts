/** The interface that a feature implements to make its records importable. */
import { validateDate } from '../clock.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { parseIsoTime } from '../iso-time.ts';

/** Trimmed values of a row by column name; empty if there is no value. */
export type Fields = Readonly<Record<string, string>>;

/** Either why a row is refused, or the row to insert with a key that no other row of the file may have. */
export type RowPlan<Row> =
  | { readonly refusal: string }
  | {
      readonly key: string;
      readonly row: Row;
      /** Which part of the row in the file is not applied. */
      readonly warning?: string | undefined;
    };

export type RowImporter<Row = unknown> = {
  readonly columns: readonly string[];
  /** Columns that the file must have. */
  readonly requiredColumns: readonly string[];
  /** Reason for refusing a row with the same key as an earlier one. */
  readonly duplicateRefusal: string;
  /** Called before `plan` in the same transaction. */
  lock?(transaction: Transaction): Promise<void>;
  /** Decides on each row, in order, without writing. */
  plan(executor: Executor, rows: readonly Fields[]): Promise<RowPlan<Row>[]>;
  /** Inserts the rows of plans made in the same transaction. */
  insert(transaction: Transaction, rows: readonly Row[]): Promise<void>;
};

/** Returns the plan from `decide`, or a refusal with the message of the `ApiError` that it throws. */
export function planRow<Row>(decide: () => RowPlan<Row>): RowPlan<Row> {
  try {
    return decide();
  } catch (error) {
    if (error instanceof ApiError) return { refusal: error.message };
    throw error;
  }
}

/** Parses the column `expires_at` to ms since 1970. Throws `ApiError` VALIDATION_ERROR. */
export function readExpiry(text: string): number {
  const timeMs = parseIsoTime(text);
  if (timeMs !== undefined) return validateDate(timeMs);
  throw new ApiError('VALIDATION_ERROR', 'expires_at must be an ISO 8601 date or time such as 2027-01-31T12:00:00Z.');
}
