/** The accounts as a list: by email address or by subscription. */

import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import {
  beginsWith,
  binary,
  countRows,
  type IdPage,
  type ListSource,
  type ListTotal,
  type PageRequest,
  readIdPage,
} from '../database/list-page.ts';
import { subscriptionInForce } from '../database/subscription-in-force.ts';
import type { SubscriptionStatus, Tables } from '../database/tables.ts';

export type AccountFilter = {
  /** The beginning of an email address, in lower case. */
  readonly search?: string;
  /** Of the subscription, as of now. */
  readonly status?: SubscriptionStatus | 'none';
  /** Of the subscription. */
  readonly plan?: string;
  readonly nowMs: number;
};

/** Newest first; a search in the order of the email addresses. */
export function listAccountIds(executor: Executor, filter: AccountFilter, page: PageRequest): Promise<IdPage> {
  return readIdPage(executor, sourceOf(executor, filter), page);
}

export function countAccounts(executor: Executor, filter: AccountFilter): Promise<ListTotal> {
  return countRows(executor, sourceOf(executor, filter));
}

export type AccountListRow = Pick<Tables['users'], 'id' | 'email' | 'full_name' | 'created_at_ms'> & {
  readonly subscription: Pick<Tables['subscriptions'], 'plan' | 'status' | 'current_period_end_ms'> | undefined;
  readonly licenses: number;
  /** Devices that are active on them. */
  readonly devices: number;
};

/** The accounts with these ids, in any order. */
export async function findListedAccounts(
  executor: Executor,
  ids: readonly string[],
  nowMs: number,
): Promise<AccountListRow[]> {
  if (ids.length === 0) return [];
  const users = await executor
    .selectFrom('users')
    .leftJoin('subscriptions', (join) =>
      join.on('subscriptions.id', '=', subscriptionInForce(sql.ref('users.id'), nowMs)),
    )
    .select(['users.id', 'users.email', 'users.full_name', 'users.created_at_ms'])
    .select(['subscriptions.plan', 'subscriptions.status', 'subscriptions.current_period_end_ms'])
    .where('users.id', 'in', ids)
    .execute();
  const owned = await executor
    .selectFrom('licenses')
    .leftJoin('activations', (join) =>
      join.onRef('activations.license_id', '=', 'licenses.id').on('activations.released_at_ms', 'is', null),
    )
    .select(['licenses.user_id'])
    .select(({ fn }) => [fn.count('licenses.id').distinct().as('licenses'), fn.count('activations.id').as('devices')])
    .where('licenses.user_id', 'in', ids)
    .groupBy('licenses.user_id')
    .execute();
  const byUser = new Map(owned.map((row) => [row.user_id, row]));
  return users.map(({ plan, status, current_period_end_ms, ...user }) => ({
    ...user,
    subscription:
      plan === null || status === null || current_period_end_ms === null
        ? undefined
        : { plan, status, current_period_end_ms },
    licenses: Number(byUser.get(user.id)?.licenses ?? 0),
    devices: Number(byUser.get(user.id)?.devices ?? 0),
  }));
}

const userId = sql.ref('users.id');
const subscriptionOwner = sql.ref('subscriptions.user_id');
/** What the status of a subscription depends on. */
const statusColumns = sql`subscriptions.status as status, subscriptions.plan as plan, subscriptions.current_period_end_ms as end_ms`;

function sourceOf(executor: Executor, filter: AccountFilter): ListSource {
  const { search, status, plan } = filter;
  const isFiltered = status !== undefined || plan !== undefined;
  if (search !== undefined) {
    const order = binary(executor, sql.ref('users.email_key'));
    const from = sql`users ${isFiltered ? withSubscription(filter) : sql``} where ${beginsWith(order, search)}`;
    return { from, id: userId, order, ...(isFiltered && { filter: toCondition(filter) }) };
  }
  if (!isFiltered) return { from: sql`users where 1 = 1`, id: userId };
  if (status === 'none') {
    return { from: sql`users ${withSubscription(filter)} where 1 = 1`, id: userId, filter: toCondition(filter) };
  }
  return {
    from: sql`subscriptions where ${selectByIndex(filter)}
      and subscriptions.id = ${subscriptionInForce(subscriptionOwner, filter.nowMs)}`,
    id: subscriptionOwner,
    filter: toCondition(filter),
  };
}

/** The part of the filter that an index has in the order of the list; the rest is searched among its rows. */
function selectByIndex({ status, plan }: AccountFilter): RawBuilder<unknown> {
  if (plan !== undefined) return sql`subscriptions.plan = ${plan}`;
  return status === 'expired' ? sql`1 = 1` : sql`subscriptions.status = ${status}`;
}

function withSubscription({ nowMs }: AccountFilter): RawBuilder<unknown> {
  return sql`left join subscriptions on subscriptions.id = ${subscriptionInForce(userId, nowMs)}`;
}

function toCondition({ status, plan, nowMs }: AccountFilter): NonNullable<ListSource['filter']> {
  const conditions: RawBuilder<unknown>[] = [];
  if (status === 'none') conditions.push(sql`scanned.status is null`);
  else if (status !== undefined) conditions.push(hasStatus(status, nowMs));
  if (plan !== undefined) conditions.push(sql`scanned.plan = ${plan}`);
  return { columns: statusColumns, condition: sql.join(conditions, sql` and `) };
}

/** The same as `readSubscriptionStatus`. */
function hasStatus(status: SubscriptionStatus, nowMs: number): RawBuilder<unknown> {
  if (status === 'canceled') return sql`scanned.status = 'canceled'`;
  if (status !== 'expired') return sql`scanned.status = ${status} and scanned.end_ms > ${nowMs}`;
  const isOver = sql`scanned.status <> 'canceled' and scanned.end_ms <= ${nowMs}`;
  return sql`(scanned.status = 'expired' or ${isOver})`;
}
