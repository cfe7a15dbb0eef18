/** Queries on features. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type FeatureRow = Tables['features'];

/** Returns all features, in display order. */
export function listFeatures(executor: Executor): Promise<FeatureRow[]> {
  return executor.selectFrom('features').selectAll().orderBy('position').execute();
}

export function findFeature(executor: Executor, name: string): Promise<FeatureRow | undefined> {
  return executor.selectFrom('features').selectAll().where('name', '=', name).executeTakeFirst();
}

/** Adds a feature, or changes the texts and visibility of an existing one. */
export async function saveFeature(transaction: Transaction, row: FeatureRow): Promise<void> {
  const { title, does, hidden, updated_at_ms } = row;
  await transaction
    .insertInto('features')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ title, does, hidden, updated_at_ms }))
    .execute();
}

/** Returns the names of the plans that have the feature. */
export async function listPlansWith(executor: Executor, feature: string): Promise<string[]> {
  const rows = await executor
    .selectFrom('plan_features')
    .select('plan')
    .where('feature', '=', feature)
    .orderBy('plan')
    .execute();
  return rows.map(({ plan }) => plan);
}

/** Deletes a feature, and removes it from the plans that have it. */
export async function deleteFeature(transaction: Transaction, name: string): Promise<void> {
  await transaction.deleteFrom('plan_features').where('feature', '=', name).execute();
  await transaction.deleteFrom('features').where('name', '=', name).execute();
}
