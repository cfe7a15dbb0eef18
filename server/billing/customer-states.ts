/** What the server knows about the customers in a provider's list, loaded for many of them at once. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { AccountService } from '../accounts/account.service.ts';
import type { Executor } from '../database/database.ts';
import { sourceOf } from '../subscriptions/subscription.rules.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { type Customer, listCustomers, listCustomersOfEmails } from './billing.repository.ts';
import {
  type KnownSubscription,
  type KnownSubscriptions,
  loadKnownSubscriptions,
  refundingProviders,
} from './known-subscriptions.ts';
import { listOfCustomers } from './payment.repository.ts';
import { reconciledBuyer, reconciledReference } from './reconciled-subscription.ts';
import { isAlike } from './reconciliation.rules.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

/** The account that a row belongs to, if the server does not know its subscription. */
export type Buyer = {
  /** `undefined` if there is none yet. */
  readonly userId: string | undefined;
  /** True if the provider's customer is bound to the account; otherwise the email links them. */
  readonly isBound: boolean;
};

/** What the list states about one subscription or customer, and what the server knows. */
export type CustomerState = {
  /** Rows without an email get the customer's, if it is known. */
  readonly rows: readonly ReportedSubscription[];
  /** The customer's subscriptions that no other row of the list names more exactly. */
  readonly ofCustomer: readonly KnownSubscription[];
  readonly known: KnownSubscriptions;
  buyerOf(reported: ReportedSubscription): Buyer;
};

export type CustomerStatesDeps = { readonly accounts: AccountService; readonly subscriptions: SubscriptionService };

type Rows = readonly ReportedSubscription[];

/** The rows grouped by name, and whether any row of the whole list has a name. */
export type Listed = { readonly groups: readonly Rows[]; isNamed(name: string): boolean };

/** Loads the state of each group, in their order. A group has the rows of one name. */
export async function loadCustomerStates(
  executor: Executor,
  { accounts, subscriptions }: CustomerStatesDeps,
  { groups, isNamed }: Listed,
): Promise<CustomerState[]> {
  const customers = await loadCustomers(executor, groups.flat());
  const completed = groups.map((rows) =>
    rows.map((row) => ({ ...row, email: row.email || (customers.get(buyerNameOf(row))?.[0]?.email ?? '') })),
  );
  const all = completed.flat();
  const { references, userIds } = await loadOwners(executor, subscriptions, { rows: all, customers });
  const byEmail = await accounts.findByEmails(
    executor,
    all.map(({ email }) => email),
  );
  const known = await loadKnownSubscriptions(executor, subscriptions, {
    userIds: [...new Set([...userIds, ...[...byEmail.values()].map(({ id }) => id)])],
    references,
  });
  return completed.map((rows) => {
    const ofCustomer = rows.flatMap((row) => {
      const source = sourceOf(row.provider);
      const named = customerIdsOf(row, customers).flatMap((id) => known.listOfCustomer(source, id));
      const [ofName, ofEmail] = reconciledReferencesOf(row).map((reference) => known.find(source, reference));
      return [...named, ofName ?? [], ofEmail && isAlike(row, ofEmail.row) ? ofEmail : []]
        .flat()
        .filter((one) => !namesOf(one).some((name) => name !== nameOf(row) && isNamed(name)));
    });
    return {
      rows,
      ofCustomer: [...new Set(ofCustomer)],
      known,
      buyerOf(row) {
        const bound = row.customer ? customers.get(buyerNameOf(row))?.[0]?.user_id : undefined;
        return bound ? { userId: bound, isBound: true } : { userId: byEmail.get(row.email)?.id, isBound: false };
      },
    };
  });
}

/** Returns the name of what the row is about: its subscription if it has one, else its buyer. */
export function nameOf(reported: ReportedSubscription): string {
  const { provider, subscription } = reported;
  return subscription && provider !== 'webhook'
    ? toName(provider, 'subscription', subscription)
    : buyerNameOf(reported);
}

/** Returns the name of the buyer: the provider's id of the customer if the row has it, else the email. */
function buyerNameOf({ provider, customer, email }: ReportedSubscription): string {
  return customer && provider !== 'webhook'
    ? toName(provider, 'customer', customer)
    : toName(provider, 'email', toKey(email));
}

/** Returns the names of the rows that are about the subscription in preference to any others. */
function namesOf({ row, atProvider }: KnownSubscription): readonly string[] {
  const { source, reference } = row;
  const buyer = reconciledBuyer(row);
  if (buyer !== undefined) return [toName(source, 'customer', buyer), toName(source, 'email', buyer)];
  const ofCustomer = atProvider?.customer_id ? [toName(source, 'customer', atProvider.customer_id)] : [];
  return [toName(source, 'subscription', reference), ...ofCustomer];
}

function toName(source: string, kind: 'subscription' | 'customer' | 'email', id: string): string {
  return `${source} ${kind} ${id}`;
}

/** Customers by name: an id names one, an email any number. */
type Customers = ReadonlyMap<string, readonly Customer[]>;

async function loadCustomers(executor: Executor, rows: Rows): Promise<Customers> {
  const customers = new Map<string, Customer[]>();
  for (const [provider, reported] of Map.groupBy(rows, (row) => row.provider)) {
    if (provider === 'webhook') continue;
    const ids = reported.map(({ customer }) => customer);
    for (const found of await listCustomers(executor, provider, ids)) {
      customers.set(toName(provider, 'customer', found.customer_id), [found]);
    }
    const keys = reported.flatMap(({ customer, email }) => (customer || !email ? [] : [toKey(email)]));
    const typed = keys.length > 0 ? await listCustomersOfEmails(executor, provider, keys) : [];
    for (const [key, found] of Map.groupBy(typed, ({ email }) => toKey(email ?? ''))) {
      customers.set(toName(provider, 'email', key), found);
    }
  }
  return customers;
}

/**
 * Loads the subscriptions that rows may be about, and the accounts that own them or that the customers are bound to.
 */
async function loadOwners(
  executor: Executor,
  subscriptions: SubscriptionService,
  { rows, customers }: { readonly rows: Rows; readonly customers: Customers },
): Promise<{ readonly references: readonly string[]; readonly userIds: readonly string[] }> {
  const references = rows.flatMap((row) => [row.subscription, ...reconciledReferencesOf(row)]);
  const userIds = [...customers.values()].flat().flatMap(({ user_id }) => user_id ?? []);
  for (const provider of refundingProviders) {
    const ofProvider = rows.filter((row) => row.provider === provider);
    if (ofProvider.length === 0) continue;
    const ids = ofProvider.flatMap((row) => customerIdsOf(row, customers));
    references.push(...(await listOfCustomers(executor, provider, ids)).map(({ reference }) => reference));
    const found = await subscriptions.listOfProvider(executor, provider, references);
    userIds.push(...found.map(({ user_id }) => user_id));
  }
  return { references, userIds };
}

/** Returns the reference of the row and, if it has a customer, that of an earlier row with only the email. */
function reconciledReferencesOf(row: ReportedSubscription): readonly string[] {
  return [reconciledReference(row), reconciledReference({ customer: '', email: row.email })];
}

function customerIdsOf(row: ReportedSubscription, customers: Customers): readonly string[] {
  return row.customer ? [row.customer] : (customers.get(buyerNameOf(row)) ?? []).map(({ customer_id }) => customer_id);
}

function toKey(email: string): string {
  return parseEmail(email)?.key ?? '';
}
