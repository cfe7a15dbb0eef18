/** Subscriptions that `billing reconcile` created from rows without a subscription id; their reference is our own. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import { dayMs } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { hasEmail } from './account-trust.rules.ts';
import type { SubscriptionChange } from './billing-event.ts';
import { renameProviderSubscription } from './payment.repository.ts';

const prefix = 'reconciled:';

/**
 * Returns the reference of a subscription of which only the customer is known: by the provider's id, or by the email.
 */
export function provisionalReference({
  customer,
  email,
}: {
  readonly customer: string;
  readonly email: string;
}): string {
  return prefix + (customer || (parseEmail(email)?.key ?? ''));
}

/** Returns the customer or email that such a subscription was created for; `undefined` for any other subscription. */
export function provisionalBuyer({ reference }: Pick<SubscriptionRow, 'reference'>): string | undefined {
  return reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
}

type Naming = {
  readonly provider: BillingProviderName;
  readonly change: SubscriptionChange;
  /** The account named by a valid checkout token. */
  readonly tokenUserId: string | undefined;
};

type Deps = { readonly accounts: AccountService; readonly subscriptions: SubscriptionService };

/**
 * Finds the subscription created from the same list entry before any event named it: it has the same plan and ends on
 * the same day. It must not be one bought after the list was made, or one for which the event names a different
 * account. The event itself may be older than the list: it then changes nothing, but names the subscription for later
 * ones.
 */
export async function findProvisional(
  transaction: Transaction,
  { accounts, subscriptions }: Deps,
  { provider, change, tokenUserId }: Naming,
): Promise<SubscriptionRow | undefined> {
  const { customerId = '', email = '', createdAtMs, accountEmail } = change;
  for (const name of [
    { customer: customerId, email: '' },
    { customer: '', email },
  ]) {
    const row = await subscriptions.findOfProvider(transaction, provider, provisionalReference(name));
    if (!row || row.plan !== change.plan || !isSameDay(row.current_period_end_ms, change.periodEndMs)) continue;
    if (createdAtMs !== undefined && createdAtMs > (row.event_at_ms ?? row.updated_at_ms)) continue;
    if (tokenUserId !== undefined && tokenUserId !== row.user_id) continue;
    const account = await accounts.findById(row.user_id, transaction);
    if (account && (accountEmail === undefined || hasEmail(account, accountEmail))) return row;
  }
  return undefined;
}

/** Replaces our own reference with the provider's id of the subscription. */
export async function setProviderReference(
  transaction: Transaction,
  subscriptions: SubscriptionService,
  {
    provider,
    row,
    reference,
  }: {
    readonly provider: BillingProviderName;
    readonly row: SubscriptionRow;
    readonly reference: string;
  },
): Promise<void> {
  await subscriptions.setReference(transaction, row, reference);
  await renameProviderSubscription(transaction, { provider, reference: row.reference }, reference);
}

function isSameDay(one: number, other: number | undefined): boolean {
  return other !== undefined && Math.floor(one / dayMs) === Math.floor(other / dayMs);
}
