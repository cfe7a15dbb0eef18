/** SQL that selects the subscriptions that count. */
import { type RawBuilder, sql } from 'kysely';

/**
 * The value of `is_replaced` in subscriptions that count. It is a literal because the conditions of partial indexes
 * contain it: SQLite would compare a parameter with those conditions and compile the statement again on each execution,
 * which takes 0.2 ms for the snapshot of an account.
 */
export const notReplaced = sql.lit<0>(0);

/**
 * Returns the id of the subscription that counts, as found by `chooseSubscription`, for queries on very many accounts;
 * null if the account has none.
 */
export function subscriptionInForce(userId: RawBuilder<unknown>, nowMs: number): RawBuilder<string> {
  const hasAccess = sql`best.status in ('trialing', 'active', 'past_due') and best.current_period_end_ms > ${nowMs}`;
  const features = sql`(select count(*) from plan_features where plan_features.plan = plans.name)`;
  const lacks = sql`sure_plan.max_devices > plans.max_devices or exists (
    select 1 from plan_features as given where given.plan = sure_plan.name and not exists (
      select 1 from plan_features as own where own.plan = plans.name and own.feature = given.feature))`;
  const takesSomething = sql`best.by_typed_email = 1 and exists (
    select 1 from subscriptions as sure inner join plans as sure_plan on sure_plan.name = sure.plan
    where sure.user_id = ${userId} and sure.is_replaced = 0 and sure.by_typed_email = 0
      and sure.status in ('trialing', 'active', 'past_due') and sure.current_period_end_ms > ${nowMs} and (${lacks}))`;
  return sql<string>`(
    select best.id from subscriptions as best inner join plans on plans.name = best.plan
    where best.user_id = ${userId} and best.is_replaced = 0
    order by case when ${hasAccess} then 0 else 1 end,
      case when ${hasAccess} and ${takesSomething} then 1 else 0 end,
      case when ${hasAccess} then plans.max_devices else 0 end desc,
      case when ${hasAccess} then ${features} else 0 end desc,
      best.current_period_end_ms desc, best.id desc
    limit ${sql.lit(1)})`;
}
