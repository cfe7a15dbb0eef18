/** Queries on webhook endpoints. */
import type { Executor, Transaction } from '../database/database.ts';
import { count } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';

export type WebhookRow = Tables['webhook_endpoints'];

export async function insertWebhook(transaction: Transaction, row: WebhookRow): Promise<void> {
  await transaction.insertInto('webhook_endpoints').values(row).execute();
}

export function findWebhook(executor: Executor, id: string): Promise<WebhookRow | undefined> {
  return executor.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Returns all endpoints, oldest first. */
export function listWebhooks(executor: Executor): Promise<WebhookRow[]> {
  return executor.selectFrom('webhook_endpoints').selectAll().orderBy('id').execute();
}

/** Returns the enabled endpoints, in no particular order. */
export function listEnabledWebhooks(executor: Executor): Promise<WebhookRow[]> {
  return executor.selectFrom('webhook_endpoints').selectAll().where('disabled_at_ms', 'is', null).execute();
}

export function countWebhooks(executor: Executor): Promise<number> {
  return count(executor.selectFrom('webhook_endpoints'));
}

/** Deletes an endpoint and its deliveries, and returns it; `undefined` if there is none. */
export function deleteWebhook(transaction: Transaction, id: string): Promise<WebhookRow | undefined> {
  return transaction.deleteFrom('webhook_endpoints').where('id', '=', id).returningAll().executeTakeFirst();
}

/** Disables an endpoint; returns false if it is already disabled. */
export async function disableWebhook(
  transaction: Transaction,
  id: string,
  { reason, nowMs }: { readonly reason: string; readonly nowMs: number },
): Promise<boolean> {
  const result = await transaction
    .updateTable('webhook_endpoints')
    .set({ disabled_at_ms: nowMs, disabled_reason: reason })
    .where('id', '=', id)
    .where('disabled_at_ms', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
