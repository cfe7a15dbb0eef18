/** The list of accounts, searchable by email address and filtered by subscription. */
import { type RawBuilder, sql } from 'kysely';
import type { AccountRow, accountsQuery } from '../../shared/api/admin/accounts.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, searchBy } from '../database/list-page.ts';
import { subscriptionInForce } from '../database/subscription-in-force.ts';
import type { SubscriptionStatus, Tables } from '../database/tables.ts';
import type { Config } from '../settings/config.ts';
import { readSubscriptionStatus } from '../subscriptions/subscription.rules.ts';
import { type Account, toAccount } from './account.ts';
import { mayReceiveByEmail } from './email-recipient.rules.ts';

type AccountQuery = ListFilter<typeof accountsQuery>;

/** Creates the list, newest first; search results are ordered by email address. */
export function createAccountList(
  config: Pick<Config, 'mail'>,
): ListDefinition<AccountQuery, AccountListRow, AccountRow> {
  return {
    source: sourceOf,
    findRows,
    toItem: ({ subscription, user, ...row }, nowMs) => ({
      ...row,
      id: user.id,
      email: user.email,
      full_name: user.full_name,
      created_at: toIso(user.createdAtMs),
      email_confirmed_at: toIsoOrNull(user.emailConfirmedAtMs),
      email_confirmation_missing: !mayReceiveByEmail(user, config),
      plan: subscription?.plan ?? null,
      status: subscription ? readSubscriptionStatus(subscription, nowMs) : null,
      current_period_end: subscription ? toIso(subscription.current_period_end_ms) : null,
    }),
  };
}

type AccountListRow = {
  readonly id: string;
  readonly user: Account;
  readonly subscription: Pick<Tables['subscriptions'], 'plan' | 'status' | 'current_period_end_ms'> | undefined;
  readonly licenses: number;
  /** Number of active devices on the licenses. */
  readonly devices: number;
};

async function findRows(executor: Executor, ids: readonly string[], nowMs: number): Promise<AccountListRow[]> {
  const users = await executor
    .selectFrom('users')
    .leftJoin('subscriptions', (join) =>
      join.on('subscriptions.id', '=', subscriptionInForce(sql.ref('users.id'), nowMs)),
    )
    .selectAll('users')
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
    id: user.id,
    user: toAccount(user),
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
/** Columns that the status of a subscription depends on. */
const statusColumns = sql`subscriptions.status as status, subscriptions.plan as plan, subscriptions.current_period_end_ms as end_ms`;

function sourceOf(executor: Executor, { search, status, plan }: AccountQuery, nowMs: number): ListSource {
  const prefix = search === undefined ? '' : toEmailKey(search);
  const isFiltered = status !== undefined || plan !== undefined;
  const conditions = [status && hasStatus(status, nowMs), plan && sql`scanned.plan = ${plan}`];
  const filtered = { id: userId, filter: { columns: statusColumns, conditions } };
  const join = sql`left join subscriptions on subscriptions.id = ${subscriptionInForce(userId, nowMs)}`;
  const users = { from: isFiltered ? sql`users ${join}` : sql`users`, where: [] };
  if (prefix) return { ...searchBy(executor, { ...users, text: 'users.email_key', prefix }), ...filtered };
  if (!isFiltered || status === 'none') return { ...users, ...filtered };
  const isInForce = sql`subscriptions.id = ${subscriptionInForce(subscriptionOwner, nowMs)}`;
  return {
    ...filtered,
    from: sql`subscriptions`,
    where: [selectByIndex({ status, plan }), isInForce],
    id: subscriptionOwner,
  };
}

/** Returns the condition that an index serves in list order; the other conditions filter its rows. */
function selectByIndex({ status, plan }: AccountQuery): RawBuilder<unknown> | undefined {
  if (plan !== undefined) return sql`subscriptions.plan = ${plan}`;
  return status === 'expired' ? undefined : sql`subscriptions.status = ${status}`;
}

/** SQL equivalent of `readSubscriptionStatus`. */
function hasStatus(status: SubscriptionStatus | 'none', nowMs: number): RawBuilder<unknown> {
  if (status === 'none') return sql`scanned.status is null`;
  if (status === 'canceled') return sql`scanned.status = 'canceled'`;
  if (status !== 'expired') return sql`scanned.status = ${status} and scanned.end_ms > ${nowMs}`;
  const isOver = sql`scanned.status <> 'canceled' and scanned.end_ms <= ${nowMs}`;
  return sql`(scanned.status = 'expired' or ${isOver})`;
}
