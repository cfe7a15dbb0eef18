/** What the server knows about the customers in a provider's list, loaded for many of them at once. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Executor } from '../database/database.ts';
import type { SubscriptionRow, SubscriptionService } from '../subscriptions/subscription.service.ts';
import { type Customer, listCustomers, listCustomersOfEmails } from './billing.repository.ts';
import { latest } from './billing.rules.ts';
import { listOfCustomers, listProviderSubscriptions, type ProviderSubscription } from './payment.repository.ts';
import { provisionalBuyer, provisionalReference } from './provisional-subscription.ts';
import { hasSamePlanAndEnd } from './reconciliation.rules.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

/** A subscription of an account. */
export type KnownSubscription = {
  readonly row: SubscriptionRow;
  /** `undefined` for a subscription of the operator's own system. */
  readonly atProvider: ProviderSubscription | undefined;
  /** The time of its last event; null for none. */
  readonly lastEventMs: number | null;
};

/** The account that a row belongs to, if the server does not know its subscription. */
export type Buyer = {
  /** `undefined` if there is none yet. */
  readonly userId: string | undefined;
  /** True if the provider's customer is bound to the account; otherwise the email links them. */
  readonly isBound: boolean;
};

/** What the list reports about one subscription or customer, and what the server knows. */
export type CustomerState = {
  /** Rows without an email get the customer's, if it is known. */
  readonly rows: readonly ReportedSubscription[];
  /** The customer's subscriptions that no other row of the list names more exactly. */
  readonly ofCustomer: readonly KnownSubscription[];
  /** All subscriptions of the accounts that this group or others may be about. */
  readonly known: readonly KnownSubscription[];
  /** What events have said about the subscriptions, even about those that no account has. */
  readonly atProvider: readonly ProviderSubscription[];
  buyerOf(reported: ReportedSubscription): Buyer;
};

export type CustomerStatesDeps = { readonly accounts: AccountService; readonly subscriptions: SubscriptionService };

type Rows = readonly ReportedSubscription[];

/** The rows grouped by key, and whether any row of the whole list has a key. */
export type GroupedRows = { readonly groups: readonly Rows[]; hasKey(key: string): boolean };

/** Loads the state of each group, in their order. A group has the rows of one key. */
export async function loadCustomerStates(
  executor: Executor,
  { accounts, subscriptions }: CustomerStatesDeps,
  { groups, hasKey }: GroupedRows,
): Promise<CustomerState[]> {
  const customers = await loadCustomers(executor, groups.flat());
  const customersOf = (row: ReportedSubscription) => customers.get(buyerKeyOf(row)) ?? [];
  const customerIdsOf = (row: ReportedSubscription) =>
    row.customer ? [row.customer] : customersOf(row).map(({ customer_id }) => customer_id);
  const completed = groups.map((rows) =>
    rows.map((row) => ({ ...row, email: row.email || (customersOf(row)[0]?.email ?? '') })),
  );
  const all = completed.flat();

  const ofCustomers = await listOfCustomers(executor, all.flatMap(customerIdsOf));
  const references = [
    ...all.flatMap((row) => [row.subscription, ...provisionalReferencesOf(row)]),
    ...ofCustomers.map(({ reference }) => reference),
  ];
  const emails = all.map(({ email }) => email);
  const byEmail = await accounts.findByEmails(executor, emails);
  const userIds = [
    ...(await subscriptions.listOfProviders(executor, references)).map(({ user_id }) => user_id),
    ...[...customers.values()].flat().flatMap(({ user_id }) => user_id ?? []),
    ...[...byEmail.values()].map(({ id }) => id),
  ];
  const owned = await subscriptions.listOfAll(executor, [...new Set(userIds)]);
  references.push(...owned.map(({ reference }) => reference));
  const atProvider = await listProviderSubscriptions(executor, [...new Set(references)]);
  const known = owned.map((row) => toKnown(row, findAtProvider(atProvider, row.source, row.reference)));

  const listOfBuyer = (row: ReportedSubscription) => {
    const ofProvider = known.filter((one) => one.row.source === row.provider);
    const ids = customerIdsOf(row);
    const [ofName, ofEmail] = provisionalReferencesOf(row);
    return [
      ...ofProvider.filter((one) => ids.includes(one.atProvider?.customer_id ?? '')),
      ...ofProvider.filter((one) => one.row.reference === ofName),
      ...ofProvider.filter((one) => one.row.reference === ofEmail && hasSamePlanAndEnd(row, one.row)),
    ].filter((one) => !keysOf(one).some((key) => key !== groupKeyOf(row) && hasKey(key)));
  };
  return completed.map((rows) => ({
    rows,
    ofCustomer: [...new Set(rows.flatMap(listOfBuyer))],
    known,
    atProvider,
    buyerOf(row) {
      const bound = row.customer ? customersOf(row)[0]?.user_id : undefined;
      return bound ? { userId: bound, isBound: true } : { userId: byEmail.get(row.email)?.id, isBound: false };
    },
  }));
}

/** Finds what events have said about a subscription, even if no account has it. */
export function findAtProvider(
  atProvider: readonly ProviderSubscription[],
  provider: string,
  reference: string,
): ProviderSubscription | undefined {
  return atProvider.find((one) => one.provider === provider && one.reference === reference);
}

/** Returns the key of what the row is about: its subscription if it has one, else its buyer. */
export function groupKeyOf(reported: ReportedSubscription): string {
  const { provider, subscription } = reported;
  return subscription && provider !== 'webhook' ? `${provider} subscription ${subscription}` : buyerKeyOf(reported);
}

/** Returns the key of the buyer: the provider's id of the customer if the row has it, else the email. */
function buyerKeyOf({ provider, customer, email }: ReportedSubscription): string {
  return customer && provider !== 'webhook' ? `${provider} customer ${customer}` : emailKeyOf(provider, email);
}

/** Returns the keys of the rows that are about the subscription in preference to any others. */
function keysOf({ row, atProvider }: KnownSubscription): readonly string[] {
  const { source, reference } = row;
  const buyer = provisionalBuyer(row);
  if (buyer !== undefined) return [`${source} customer ${buyer}`, `${source} email ${buyer}`];
  const ofCustomer = atProvider?.customer_id ? [`${source} customer ${atProvider.customer_id}`] : [];
  return [`${source} subscription ${reference}`, ...ofCustomer];
}

function emailKeyOf(provider: string, email: string): string {
  return `${provider} email ${parseEmail(email)?.key ?? ''}`;
}

/** Loads the customers of the rows by key: an id names one customer, an email any number. */
async function loadCustomers(executor: Executor, rows: Rows): Promise<ReadonlyMap<string, readonly Customer[]>> {
  const ids = rows.flatMap(({ customer }) => customer || []);
  const emails = rows.flatMap(({ customer, email }) => (customer ? [] : (parseEmail(email)?.key ?? [])));
  const ofIds = await listCustomers(executor, ids);
  return new Map<string, readonly Customer[]>([
    ...Map.groupBy(ofIds, ({ provider, customer_id }) => `${provider} customer ${customer_id}`),
    ...Map.groupBy(await listCustomersOfEmails(executor, emails), (one) => emailKeyOf(one.provider, one.email ?? '')),
  ]);
}

/** Returns the reference of the row and, if it has a customer, that of an earlier row with only the email. */
function provisionalReferencesOf({ customer, email }: ReportedSubscription): readonly string[] {
  return [provisionalReference({ customer, email }), provisionalReference({ customer: '', email })];
}

function toKnown(row: SubscriptionRow, atProvider: ProviderSubscription | undefined): KnownSubscription {
  const { refunded_at_ms, paid_at_ms } = atProvider ?? {};
  return { row, atProvider, lastEventMs: latest(row.event_at_ms, latest(refunded_at_ms, paid_at_ms)) };
}
