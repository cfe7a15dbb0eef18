/** Subscriptions that `billing reconcile` has made of rows that do not name one: they have a reference of ours. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import { dayMs } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { hasEmail } from './account-trust.rules.ts';
import { isOutdated } from './billing.rules.ts';
import type { SubscriptionChange } from './billing-event.ts';
import { renameProviderSubscription } from './payment.repository.ts';

const prefix = 'reconciled:';

/** The reference of a subscription of which only the customer is known: by the provider's id, or by the email. */
export function reconciledReference({
  customer,
  email,
}: {
  readonly customer: string;
  readonly email: string;
}): string {
  return prefix + (customer || (parseEmail(email)?.key ?? ''));
}

/** The customer or the email that such a subscription was made for; `undefined` for any other. */
export function reconciledBuyer({ reference }: Pick<SubscriptionRow, 'reference'>): string | undefined {
  return reference.startsWith(prefix) ? reference.slice(prefix.length) : undefined;
}

export type Naming = {
  readonly provider: BillingProviderName;
  readonly change: SubscriptionChange;
  readonly eventAtMs: number;
  /** The account that a valid checkout token says. */
  readonly tokenUserId: string | undefined;
};

type Deps = { readonly accounts: AccountService; readonly subscriptions: SubscriptionService };

/**
 * The one that was made of the same list entry, before any event named it: of the same plan, and ending on the same day. It
 * is none that was bought after the list was made, and none for which the event says another account.
 */
export async function findReconciled(
  transaction: Transaction,
  { accounts, subscriptions }: Deps,
  { provider, change, eventAtMs, tokenUserId }: Naming,
): Promise<SubscriptionRow | undefined> {
  const { customerId = '', email = '', createdAtMs, accountEmail } = change;
  for (const name of [
    { customer: customerId, email: '' },
    { customer: '', email },
  ]) {
    const row = await subscriptions.findOfProvider(transaction, provider, reconciledReference(name));
    if (!row || row.plan !== change.plan || !isSameDay(row.current_period_end_ms, change.periodEndMs)) continue;
    if (isOutdated(eventAtMs, row.event_at_ms)) continue;
    if (createdAtMs !== undefined && createdAtMs > (row.event_at_ms ?? row.updated_at_ms)) continue;
    if (tokenUserId !== undefined && tokenUserId !== row.user_id) continue;
    const account = await accounts.findById(row.user_id, transaction);
    if (account && (accountEmail === undefined || hasEmail(account, accountEmail))) return row;
  }
  return undefined;
}

/** The provider's id of the subscription is known from now on. */
export async function nameReconciled(
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
): Promise<SubscriptionRow> {
  await subscriptions.setReference(transaction, row, reference);
  await renameProviderSubscription(transaction, { provider, reference: row.reference }, reference);
  return { ...row, reference };
}

function isSameDay(one: number, other: number | undefined): boolean {
  return other !== undefined && Math.floor(one / dayMs) === Math.floor(other / dayMs);
}
