/** A row of a billing provider's list of subscriptions, as `billing reconcile` reads it. */
import { subscriptionStatuses } from '../../shared/api/subscription.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import { dayMs } from '../clock.ts';
import type { BillingProviderName, SubscriptionStatus } from '../database/tables.ts';
import type { Columns } from '../import/import-source.ts';
import type { Fields } from '../import/row-importer.ts';
import { parseIsoTime, toIsoForm } from '../iso-time.ts';
import { statusesWithAccess } from '../subscriptions/subscription.rules.ts';
import { signatureToleranceMs } from '../webhook-signature.ts';
import { lemonSqueezyStatuses } from './lemon-squeezy.ts';
import { isStorable } from './payload.ts';
import { stripeStatuses } from './stripe.ts';

export const reportedColumns: Columns = {
  columns: ['provider', 'subscription', 'customer', 'email', 'plan', 'status', 'current_period_end', 'as_of'],
  requiredColumns: ['provider', 'customer', 'email', 'plan', 'status', 'current_period_end'],
};

/** What a provider states about a subscription. Times are in ms since 1970. */
export type ReportedSubscription = {
  /** The row in the file, from 1. */
  readonly row: number;
  readonly provider: BillingProviderName;
  /** The provider's id of the subscription; empty if the file has none. */
  readonly subscription: string;
  /** The provider's id of the customer; empty if the file has none. */
  readonly customer: string;
  /** Empty if the file has none. */
  readonly email: string;
  /** Empty if the file has none. */
  readonly plan: string;
  readonly status: SubscriptionStatus;
  /** Null if the file has none. For a date, the end of that day. */
  readonly periodEndMs: number | null;
  /** True if the file has only a date, so that the time of day does not matter. */
  readonly isEndOfDay: boolean;
  /** The time as of which the provider states this; null if the file has none. */
  readonly asOfMs: number | null;
};

type ReportedReading = {
  readonly nowMs: number;
  /** Plan by price. */
  readonly plansByPrice: ReadonlyMap<string, string>;
  readonly plans: ReadonlySet<string>;
};

const maxIdLength = 255;
const providers: readonly BillingProviderName[] = ['stripe', 'lemonsqueezy', 'webhook'];

/** Returns the row, or what is wrong with it. */
export function readReported(
  row: number,
  fields: Fields,
  reading: ReportedReading,
): ReportedSubscription | { problem: string } {
  const { subscription = '' } = fields;
  const { customer, email } = readBuyer(fields);
  const provider = providers.find((name) => name === fields.provider?.toLowerCase());
  if (!provider) return { problem: `provider must be ${providers.join(', ')}.` };
  const unstorable = Object.entries({ subscription, customer }).find(
    ([, text]) => text.length > maxIdLength || !isStorable(text),
  );
  if (unstorable) return { problem: `${unstorable[0]} is too long, or has a character that cannot be stored.` };
  if (email !== '' && !parseEmail(email)) return { problem: 'email is not an email address.' };
  if (provider === 'webhook' && email === '') return { problem: 'email is required for the provider webhook.' };
  if (subscription + customer + email === '') return { problem: 'customer or email is required.' };
  const status = readStatus(provider, fields.status ?? '');
  if (!status) return { problem: 'status is not one that is known: see server/docs/billing.md.' };
  const plan = reading.plansByPrice.get(fields.plan ?? '') ?? fields.plan ?? '';
  const end = readTime(fields.current_period_end ?? '');
  if (!end) return { problem: 'current_period_end must be a date or a time, such as 2027-01-31T12:00:00Z.' };
  const asOf = readTime(fields.as_of ?? '');
  if (!asOf) return { problem: 'as_of must be a date or a time, such as 2027-01-31T12:00:00Z.' };
  const asOfMs = asOf.timeMs;
  if (asOfMs !== null && asOfMs > reading.nowMs + signatureToleranceMs) return { problem: 'as_of is in the future.' };
  const isPaying = statusesWithAccess.includes(status);
  if (isPaying && end.timeMs === null) return { problem: 'current_period_end is required for this status.' };
  if (plan === '' ? isPaying : !reading.plans.has(plan)) {
    return { problem: plan === '' ? 'plan is required for this status.' : 'There is no plan with this name.' };
  }
  const periodEndMs = end.timeMs === null ? null : end.isDate ? end.timeMs + dayMs - 1 : end.timeMs;
  return { row, provider, subscription, customer, email, plan, status, periodEndMs, isEndOfDay: end.isDate, asOfMs };
}

/** Some lists have the email in the customer column. */
function readBuyer({ customer = '', email = '' }: Fields): Pick<ReportedSubscription, 'customer' | 'email'> {
  return parseEmail(customer) ? { customer: '', email: email || customer } : { customer, email };
}

const statusesOf: Readonly<Partial<Record<BillingProviderName, ReadonlyMap<string, SubscriptionStatus | 'nothing'>>>> =
  { stripe: stripeStatuses, lemonsqueezy: lemonSqueezyStatuses };

/** Accepts our own statuses and the provider's. */
function readStatus(provider: BillingProviderName, text: string): SubscriptionStatus | undefined {
  const word = text.toLowerCase();
  const own = subscriptionStatuses.find((status) => status === word);
  if (own) return own;
  const status = statusesOf[provider]?.get(word);
  return status === 'nothing' ? 'expired' : status;
}

/** Reads ISO 8601, also in the form that providers write in their lists. */
function readTime(text: string): { readonly timeMs: number | null; readonly isDate: boolean } | undefined {
  if (text === '') return { timeMs: null, isDate: false };
  const timeMs = parseIsoTime(toIsoForm(text));
  return timeMs === undefined ? undefined : { timeMs, isDate: /^\d{4}-\d\d-\d\d$/.test(text) };
}
