/** The list of accounts, searchable by email address and filtered by subscription. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { AccountRow, accountsQuery } from '../../shared/api/admin/accounts.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, listRows, searchRows } from '../database/list-page.ts';
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
  const rows = await executor
    .selectFrom('users')
    .leftJoin('subscriptions', (join) =>
      join.on('subscriptions.id', '=', subscriptionInForce(sql.ref('users.id'), nowMs)),
    )
    .selectAll('users')
    .select(['subscriptions.plan', 'subscriptions.status', 'subscriptions.current_period_end_ms'])
    .select(({ selectFrom, fn }) => {
      const owned = selectFrom('licenses').whereRef('licenses.user_id', '=', 'users.id');
      const active = owned
        .innerJoin('activations', 'activations.license_id', 'licenses.id')
        .where('activations.released_at_ms', 'is', null);
      const count = fn.countAll<number>().as('count');
      return [owned.select(count).as('licenses'), active.select(count).as('devices')];
    })
    .where('users.id', 'in', ids)
    .$narrowType<{ licenses: number; devices: number }>()
    .execute();
  return rows.map(({ plan, status, current_period_end_ms, licenses, devices, ...user }) => ({
    id: user.id,
    user: toAccount(user),
    subscription:
      plan === null || status === null || current_period_end_ms === null
        ? undefined
        : { plan, status, current_period_end_ms },
    licenses,
    devices,
  }));
}

const eb = expressionBuilder<Tables, 'subscriptions'>();

function sourceOf(executor: Executor, { search, status, plan }: AccountQuery, nowMs: number): ListSource {
  const prefix = search === undefined ? '' : toEmailKey(search);
  const isFiltered = status !== undefined || plan !== undefined;
  const filter = [status && hasStatus(status, nowMs), plan && eb('subscriptions.plan', '=', plan)];
  const isInForce = (owner: string) => eb('subscriptions.id', '=', subscriptionInForce(sql.ref(owner), nowMs));
  const users = executor
    .selectFrom('users')
    .$if(isFiltered, (all) => all.leftJoin('subscriptions', (join) => join.on(isInForce('users.id'))));
  const found = { rows: users, id: 'users.id', filter } as const;
  if (prefix) return searchRows(executor, { ...found, text: 'users.email_key', prefix });
  if (!isFiltered || status === 'none') return listRows(found);
  // Most subscriptions are in force. PostgreSQL would expect one row in 200, and sort them all or compile the query; of a
  // `case` it expects every second row, and stops at the end of the page.
  const inForce = executor
    .selectFrom('subscriptions')
    .where(sql<SqlBool>`case when ${isInForce('subscriptions.user_id')} then true else false end`);
  // An index serves one condition in list order; the other conditions filter its rows.
  const [column, value] = plan === undefined ? (['status', status] as const) : (['plan', plan] as const);
  const rows = value === undefined || value === 'expired' ? inForce : inForce.where(column, '=', value);
  return listRows({ rows, id: 'subscriptions.user_id', filter });
}

/** SQL equivalent of `readSubscriptionStatus`. */
function hasStatus(status: SubscriptionStatus | 'none', nowMs: number): Expression<SqlBool> {
  if (status === 'none') return eb('subscriptions.status', 'is', null);
  const isStored = eb('subscriptions.status', '=', status);
  if (status === 'canceled') return isStored;
  if (status !== 'expired') return eb.and([isStored, eb('subscriptions.current_period_end_ms', '>', nowMs)]);
  const isOver = eb('subscriptions.current_period_end_ms', '<=', nowMs);
  return eb.or([isStored, eb.and([eb('subscriptions.status', '<>', 'canceled'), isOver])]);
}
