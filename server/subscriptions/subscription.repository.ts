/** Queries on subscriptions. An account may have several. */
import type { Executor, Transaction } from '../database/database.ts';
import { oneOf } from '../database/queries.ts';
import { lockRows } from '../database/row-locks.ts';
import { notReplaced } from '../database/subscription-in-force.ts';
import { paymentProviders, type SubscriptionSource, type Tables } from '../database/tables.ts';

export type SubscriptionRow = Tables['subscriptions'];

function selectSubscriptions(executor: Executor) {
  return executor.selectFrom('subscriptions').selectAll();
}

/** Returns the subscriptions of these accounts that have not been replaced, in no particular order. */
export function listSubscriptions(executor: Executor, userIds: readonly string[]): Promise<SubscriptionRow[]> {
  return selectSubscriptions(executor)
    .where('user_id', ...oneOf(executor, userIds))
    .where('is_replaced', '=', notReplaced)
    .execute();
}

/** Returns all subscriptions that these accounts have or had, newest first. */
export function listAllSubscriptions(executor: Executor, userIds: readonly string[]): Promise<SubscriptionRow[]> {
  return selectSubscriptions(executor)
    .where('user_id', ...oneOf(executor, userIds))
    .orderBy('created_at_ms', 'desc')
    .orderBy('id')
    .execute();
}

/** Finds a subscription by its source and reference, whether it counts or not. */
export function findSubscription(
  executor: Executor,
  source: SubscriptionSource,
  reference: string,
): Promise<SubscriptionRow | undefined> {
  return selectSubscriptions(executor)
    .where('source', '=', source)
    .where('reference', '=', reference)
    .executeTakeFirst();
}

/** Lists subscriptions at any provider by their references, whether they count or not. */
export function listSubscriptionsOfProviders(
  executor: Executor,
  references: readonly string[],
): Promise<SubscriptionRow[]> {
  return selectSubscriptions(executor)
    .where('source', 'in', paymentProviders)
    .where('reference', ...oneOf(executor, references))
    .execute();
}

/** Adds a subscription, or updates the one with the same source and reference, which keeps its id and created_at_ms. */
export function saveSubscription(transaction: Transaction, row: SubscriptionRow): Promise<SubscriptionRow> {
  const { id: _id, user_id: _user, created_at_ms: _created, ...changed } = row;
  return transaction
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['source', 'reference']).doUpdateSet({
        ...changed,
        // A change without an event does not affect which events are outdated.
        ...(changed.event_at_ms === null && { event_at_ms: (eb) => eb.ref('subscriptions.event_at_ms') }),
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Marks the account's other subscriptions as replaced: they no longer count. */
export async function replaceOthers(transaction: Transaction, { id, user_id }: SubscriptionRow): Promise<void> {
  await transaction
    .updateTable('subscriptions')
    .set({ is_replaced: 1 })
    .where('user_id', '=', user_id)
    .where('id', '!=', id)
    .execute();
}

export async function setReference(transaction: Transaction, id: string, reference: string): Promise<void> {
  await transaction.updateTable('subscriptions').set({ reference }).where('id', '=', id).execute();
}

export async function markReplaced(transaction: Transaction, id: string): Promise<void> {
  await transaction.updateTable('subscriptions').set({ is_replaced: 1 }).where('id', '=', id).execute();
}

/**
 * Makes reminders due again for all subscriptions of the account and the licenses that depend on them, because whether
 * an end needs a reminder depends on all of them.
 */
export async function startNoticesOver(transaction: Transaction, userId: string): Promise<void> {
  // A reminder may be decided on at this moment, with what the account has had so far.
  await lockRows(transaction, () =>
    transaction.selectFrom('subscriptions').select('id').where('user_id', '=', userId).orderBy('id'),
  );
  await lockRows(transaction, () =>
    transaction
      .selectFrom('licenses')
      .select('id')
      .where('user_id', '=', userId)
      .where('with_subscription', '=', 1)
      .orderBy('id'),
  );
  await transaction
    .updateTable('subscriptions')
    .set({ noticed_lead_ms: null })
    .where('user_id', '=', userId)
    .where('noticed_lead_ms', 'is not', null)
    .execute();
  await transaction
    .updateTable('licenses')
    .set({ noticed_lead_ms: null })
    .where('user_id', '=', userId)
    .where('with_subscription', '=', 1)
    .where('noticed_lead_ms', '>', 0)
    .execute();
}
