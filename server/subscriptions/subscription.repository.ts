/** Queries on the subscriptions. A user has at most one. */
import { accountChanged } from '../database/account-changes.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { isOneOf } from '../database/many-rows.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import type { Tables } from '../database/tables.ts';

export type SubscriptionRow = Tables['subscriptions'];

export function findSubscription(executor: Executor, userId: string): Promise<SubscriptionRow | undefined> {
  return subscriptionOf.first(executor, { userId });
}

const subscriptionOf = prepareQuery((executor, { userId }: { userId: string }) =>
  executor.selectFrom('subscriptions').selectAll().where('user_id', '=', userId),
);

/** The plans of those users that have a subscription, by the user's id. */
export async function findPlansOf(
  executor: Executor,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await executor
    .selectFrom('subscriptions')
    .select(['user_id', 'plan'])
    .where(isOneOf(executor, 'user_id', userIds))
    .execute();
  return new Map(rows.map(({ user_id, plan }) => [user_id, plan]));
}

/** Adds the subscription of the user. One that exists is changed instead and keeps its id and created_at_ms. */
export function saveSubscription(transaction: Transaction, row: SubscriptionRow): Promise<SubscriptionRow> {
  accountChanged(transaction, row.user_id);
  const { id: _id, user_id: _user, created_at_ms: _created, ...changed } = row;
  return transaction
    .insertInto('subscriptions')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow();
}
