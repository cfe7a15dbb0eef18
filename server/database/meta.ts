/** Facts about the database itself, each a text under a name. */
import type { Executor, Transaction } from './database.ts';
import { prepareQuery } from './prepared-query.ts';

/** `undefined` if there is no fact of this name. */
export async function readMeta(executor: Executor, name: string): Promise<string | undefined> {
  return (await findFactQuery.first(executor, { name }))?.value;
}

const findFactQuery = prepareQuery((executor, { name }: { name: string }) =>
  executor.selectFrom('meta').select('value').where('name', '=', name),
);

/** Adds the fact, or replaces its value. */
export async function saveMeta(transaction: Transaction, name: string, value: string): Promise<void> {
  await upsertFactQuery.run(transaction, { name, value });
}

const upsertFactQuery = prepareQuery((executor, fact: { name: string; value: string }) =>
  executor
    .insertInto('meta')
    .values({ name: fact.name, value: fact.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: fact.value })),
);
