/** Subscriptions of many accounts and their state at the providers, found by account, customer and reference. */
import type { Executor } from '../database/database.ts';
import type { BillingProviderName, SubscriptionSource } from '../database/tables.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { latest } from './billing.rules.ts';
import { listProviderSubscriptions, type ProviderSubscription } from './payment.repository.ts';

export type KnownSubscription = {
  readonly row: SubscriptionRow;
  /** `undefined` for a subscription of the operator's own system. */
  readonly atProvider: ProviderSubscription | undefined;
  /** The time of its last event; null for none. */
  readonly lastEventMs: number | null;
};

/** The providers that have refunds. */
export const refundingProviders = ['stripe', 'lemonsqueezy'] as const satisfies BillingProviderName[];

export class KnownSubscriptions {
  readonly #atProvider: ReadonlyMap<string, ProviderSubscription>;
  readonly #byReference: ReadonlyMap<string, KnownSubscription>;
  readonly #byCustomer: ReadonlyMap<string, readonly KnownSubscription[]>;
  readonly #byUser: ReadonlyMap<string, readonly KnownSubscription[]>;

  constructor(rows: readonly SubscriptionRow[], atProvider: readonly ProviderSubscription[]) {
    this.#atProvider = new Map(atProvider.map((one) => [keyOf(one.provider, one.reference), one]));
    const all = rows.map((row) => toKnown(row, this.#atProvider.get(keyOf(row.source, row.reference))));
    this.#byReference = new Map(all.map((known) => [keyOf(known.row.source, known.row.reference), known]));
    this.#byCustomer = Map.groupBy(all, (known) => keyOf(known.row.source, known.atProvider?.customer_id ?? ''));
    this.#byUser = Map.groupBy(all, ({ row }) => row.user_id);
  }

  find(source: SubscriptionSource, reference: string): KnownSubscription | undefined {
    return this.#byReference.get(keyOf(source, reference));
  }

  /** Finds what a provider says about a subscription, even if no account has it yet. */
  findAtProvider(provider: BillingProviderName, reference: string): ProviderSubscription | undefined {
    return this.#atProvider.get(keyOf(provider, reference));
  }

  listOfCustomer(source: SubscriptionSource, customerId: string): readonly KnownSubscription[] {
    return this.#byCustomer.get(keyOf(source, customerId)) ?? [];
  }

  /** Returns all subscriptions that the account has or had. */
  listOfUser(userId: string): readonly KnownSubscription[] {
    return this.#byUser.get(userId) ?? [];
  }

  hasAccess(userId: string, nowMs: number): boolean {
    return this.listOfUser(userId).some(({ row }) => row.is_replaced === 0 && givesAccess(row, nowMs));
  }
}

/** Loads all subscriptions of these accounts, and the state at the providers of these and of the given references. */
export async function loadKnownSubscriptions(
  executor: Executor,
  subscriptions: SubscriptionService,
  { userIds, references }: { readonly userIds: readonly string[]; readonly references: readonly string[] },
): Promise<KnownSubscriptions> {
  const rows = await subscriptions.listOfAll(executor, userIds);
  const atProvider: ProviderSubscription[] = [];
  for (const provider of refundingProviders) {
    const own = rows.filter(({ source }) => source === provider).map(({ reference }) => reference);
    atProvider.push(...(await listProviderSubscriptions(executor, provider, [...new Set([...own, ...references])])));
  }
  return new KnownSubscriptions(rows, atProvider);
}

function toKnown(row: SubscriptionRow, atProvider: ProviderSubscription | undefined): KnownSubscription {
  return {
    row,
    atProvider,
    lastEventMs: latest(row.event_at_ms, latest(atProvider?.refunded_at_ms, atProvider?.paid_at_ms)),
  };
}

function keyOf(source: SubscriptionSource | BillingProviderName, id: string): string {
  return `${source} ${id}`;
}
