/** Inserts a row unless there is one with the same key. */
import type { InsertObject } from 'kysely';
import type { Transaction } from './database.ts';
import type { Tables } from './tables.ts';

/** Inserts the row; returns false, and changes nothing, if a row has the same value where the table allows one only. */
export async function insertNew<Name extends keyof Tables>(
  transaction: Transaction,
  table: Name,
  row: InsertObject<Tables, Name>,
): Promise<boolean> {
  const insert = transaction.insertInto(table).values(row);
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
