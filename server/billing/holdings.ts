/** What accounts have of each billing provider, read for many of them at once. */
import type { Executor } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { FeaturesOf } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { listProviderSubscriptions, type ProviderSubscription } from './payment.repository.ts';
import type { Holding } from './reconciliation.rules.ts';

export type AccountHolding = Holding & {
  /** All that the account has or had. */
  readonly all: readonly SubscriptionRow[];
  /** When the last event was that was applied to the account; null for none. */
  readonly lastEventMs: number | null;
  readonly nowMs: number;
};

export type Holdings = { of(userId: string | null, provider: BillingProviderName): AccountHolding };

const sources = ['stripe', 'lemonsqueezy'] as const;

export async function loadHoldings(
  executor: Executor,
  { subscriptions, featuresOf }: { readonly subscriptions: SubscriptionService; readonly featuresOf: FeaturesOf },
  { userIds, nowMs }: { readonly userIds: readonly string[]; readonly nowMs: number },
): Promise<Holdings> {
  const rows = await subscriptions.listOfAll(executor, userIds);
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  const said = new Map<string, ProviderSubscription>();
  for (const source of sources) {
    const references = rows.filter((row) => row.source === source).map(({ reference }) => reference);
    for (const found of await listProviderSubscriptions(executor, source, references)) {
      said.set(`${source} ${found.reference}`, found);
    }
  }
  const saidOf = ({ source, reference }: SubscriptionRow) => said.get(`${source} ${reference}`);
  return {
    of(userId, provider) {
      const all = userId === null ? [] : (byUser.get(userId) ?? []);
      const source = provider === 'webhook' ? 'account' : provider;
      const counting = all.filter(({ is_replaced }) => is_replaced === 0);
      const atProvider = chooseSubscription(
        counting.filter((row) => row.source === source),
        featuresOf,
        nowMs,
      );
      const times = all.flatMap((row) => [row.event_at_ms, saidOf(row)?.refunded_at_ms, saidOf(row)?.paid_at_ms]);
      const lastEventMs = Math.max(0, ...times.map((time) => time ?? 0)) || null;
      return {
        all,
        atProvider,
        said: atProvider && saidOf(atProvider),
        hasAccess: counting.some((row) => givesAccess(row, nowMs)),
        lastEventMs,
        nowMs,
      };
    },
  };
}
