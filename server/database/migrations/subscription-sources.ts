/**
 * An account may have several subscriptions: one of its own, which staff, a trial or the billing webhook has set, and any
 * number at Stripe and Lemon Squeezy. Each says when the last event that changed it happened. Where two accounts had the same subscription of a provider, it is that of
 * the last event; the other account keeps its access as if staff had set it.
 */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const subscriptionSources: Migration = {
  name: '0018-subscription-sources',
  async apply(transaction, dialect) {
    const [integer, strict] = dialect === 'sqlite' ? ['integer', ' strict'] : ['bigint', ''];
    const flag = (name: string) => `${name} ${integer} not null default 0 check (${name} in (0, 1))`;
    const statements = [
      `create table all_subscriptions (
        id text primary key,
        user_id text not null references users (id) on delete cascade,
        source text not null check (source in ('account', 'stripe', 'lemonsqueezy')),
        reference text not null,
        event_at_ms ${integer},
        ${flag('is_replaced')},
        plan text not null references plans (name),
        status text not null check (status in ('trialing', 'active', 'past_due', 'canceled', 'expired')),
        current_period_start_ms ${integer} not null,
        current_period_end_ms ${integer} not null,
        ${flag('cancel_at_period_end')},
        created_at_ms ${integer} not null,
        updated_at_ms ${integer} not null,
        unique (source, reference)
      )${strict}`,
      `insert into all_subscriptions (id, user_id, source, reference, event_at_ms, plan, status, current_period_start_ms,
          current_period_end_ms, cancel_at_period_end, created_at_ms, updated_at_ms)
        select s.id, s.user_id, case when b.reference is null then 'account' else b.provider end, coalesce(b.reference, s.user_id), b.event_at_ms, s.plan,
          s.status, s.current_period_start_ms, s.current_period_end_ms, s.cancel_at_period_end, s.created_at_ms,
          s.updated_at_ms
        from subscriptions as s left join (
          select *, row_number() over (partition by provider, reference order by event_at_ms desc, user_id) as newest
          from billing_accounts
        ) as b on b.user_id = s.user_id and (b.provider = 'webhook' or b.newest = 1)`,
      "update billing_events set state = 'outdated' where state = 'replaced'",
      'drop table subscriptions',
      'drop table billing_accounts',
      'alter table all_subscriptions rename to subscriptions',
      'create index subscriptions_of_user on subscriptions (user_id)',
      'create index subscriptions_by_status on subscriptions (status, user_id, current_period_end_ms, plan)',
      'create index subscriptions_by_plan on subscriptions (plan, user_id, status, current_period_end_ms)',
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};
