/** Facts about the database itself, each a text value under a name. */
import type { Executor, Transaction } from './database.ts';

/** Returns the fact; `undefined` if there is none with this name. */
export async function readMeta(executor: Executor, name: string): Promise<string | undefined> {
  const fact = await executor.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
  return fact?.value;
}

/** Adds the fact, or replaces its value. */
export async function saveMeta(transaction: Transaction, name: string, value: string): Promise<void> {
  await transaction
    .insertInto('meta')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
