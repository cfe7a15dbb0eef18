/** The table `meta`: texts about the database itself, each under a name. */
import type { Executor, Transaction } from './database.ts';

/** Returns the text; `undefined` if there is none under this name. */
export async function readMeta(executor: Executor, name: string): Promise<string | undefined> {
  const row = await executor.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** Adds the text, or replaces it. */
export async function saveMeta(transaction: Transaction, name: string, value: string): Promise<void> {
  await transaction
    .insertInto('meta')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
