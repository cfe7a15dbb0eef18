/** Queries on the columns that are encrypted under the master key. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import type { EncryptedColumn } from './encrypted-columns.ts';

export type EncryptedValue = { readonly key: string; readonly value: string };

/** Returns the values after that key, sorted by key. */
export async function listEncryptedValues(
  executor: Executor,
  { table, key, column }: EncryptedColumn,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<EncryptedValue[]> {
  const [name, value] = [sql.ref(key), sql.ref(column)];
  const { rows } = await sql<EncryptedValue>`
    select ${name} as key, ${value} as value from ${sql.table(table)}
    where ${name} > ${after} order by ${name} limit ${limit}`.execute(executor);
  return rows;
}

/** Replaces a value, unless it has changed meanwhile. */
export async function replaceEncryptedValue(
  transaction: Transaction,
  { table, key, column }: EncryptedColumn,
  { from, to }: { readonly from: EncryptedValue; readonly to: string },
): Promise<void> {
  const [name, value] = [sql.ref(key), sql.ref(column)];
  await sql`
    update ${sql.table(table)} set ${value} = ${to} where ${name} = ${from.key} and ${value} = ${from.value}`.execute(
    transaction,
  );
}
