/** Queries on plans and their features. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

/**
 * A plan row. `switches` lists every feature in its order and whether the plan has it, as
 * in `csv_export=1 api_access=0`.
 */
export type PlanRow = Tables['plans'] & { readonly switches: string };

const switches = sql<string>`(
  select string_agg(features.name || case when plan_features.plan is null then '=0' else '=1' end, ' '
    order by features.position)
  from features left join plan_features on plan_features.feature = features.name and plan_features.plan = plans.name)`;

/** Returns all plans, the one with the fewest devices first. */
export function listPlans(executor: Executor): Promise<PlanRow[]> {
  return selectPlans(executor).orderBy('max_devices').orderBy('name').execute();
}

export function findPlan(executor: Executor, name: string): Promise<PlanRow | undefined> {
  return selectPlans(executor).where('name', '=', name).executeTakeFirst();
}

function selectPlans(executor: Executor) {
  return executor.selectFrom('plans').selectAll().select(switches.as('switches'));
}

/** Adds a plan, or updates the one with the same name, which keeps its id and created_at_ms. */
export async function savePlan(transaction: Transaction, row: Tables['plans']): Promise<void> {
  const { id: _id, name: _name, created_at_ms: _created, ...changed } = row;
  await transaction
    .insertInto('plans')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(changed))
    .execute();
}

/** Adds the features that are on to the plan and removes those that are off; others stay unchanged. */
export async function switchFeatures(
  transaction: Transaction,
  plan: string,
  given: Readonly<Record<string, boolean>>,
): Promise<void> {
  const names = Object.keys(given);
  if (names.length === 0) return;
  await transaction.deleteFrom('plan_features').where('plan', '=', plan).where('feature', 'in', names).execute();
  const rows = names.filter((name) => given[name]).map((feature) => ({ plan, feature }));
  if (rows.length > 0) await transaction.insertInto('plan_features').values(rows).execute();
}
