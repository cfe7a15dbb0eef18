/** Queries on the plans. */
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type PlanRow = Tables['plans'];

/** Every plan, the one with the fewest devices first. */
export function listPlans(executor: Executor): Promise<PlanRow[]> {
  return executor.selectFrom('plans').selectAll().orderBy('max_devices').orderBy('name').execute();
}

export function findPlan(executor: Executor, name: string): Promise<PlanRow | undefined> {
  return planByName.first(executor, { name });
}

const planByName = prepareQuery((executor, { name }: { name: string }) =>
  executor.selectFrom('plans').selectAll().where('name', '=', name),
);

/** Adds the plan, or changes the one with its name, which keeps its id and created_at_ms. */
export async function savePlan(transaction: Transaction, row: PlanRow): Promise<void> {
  const { id: _id, name: _name, created_at_ms: _created, ...changed } = row;
  await transaction
    .insertInto('plans')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
    .execute();
}
