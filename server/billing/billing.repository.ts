/** Queries on the events and customers of billing providers. */
import { type Expression, expressionBuilder, type SqlBool } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { insertNew, oneOf } from '../database/queries.ts';
import { readAndLockRows } from '../database/row-locks.ts';
import { type BillingProviderName, paymentProviders, type Tables } from '../database/tables.ts';

export type BillingEventRow = Tables['billing_events'];

/** Inserts an event; returns false if it is already stored, which means that the provider has sent it again. */
export function insertEvent(transaction: Transaction, row: BillingEventRow): Promise<boolean> {
  return insertNew(transaction, 'billing_events', row);
}

export type EventOutcome = Pick<BillingEventRow, 'state' | 'reason' | 'email' | 'payload'>;

export async function setOutcome(transaction: Transaction, id: string, outcome: EventOutcome): Promise<void> {
  await transaction.updateTable('billing_events').set(outcome).where('id', '=', id).execute();
}

/** Locks and returns a dead letter. On PostgreSQL, no other transaction can apply it meanwhile. */
export async function lockDeadLetter(transaction: Transaction, id: string): Promise<BillingEventRow | undefined> {
  const letters = transaction.selectFrom('billing_events').selectAll().where('state', '=', 'dead_letter');
  const [letter] = await readAndLockRows(transaction, letters.where('id', '=', id));
  return letter;
}

export function findEvent(executor: Executor, id: string): Promise<BillingEventRow | undefined> {
  return executor.selectFrom('billing_events').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Dead letters for everything that has become known, for one email, for a customer, or for payments. */
export type DeadLettersOf =
  | keyof typeof isKnown
  | { readonly emailKey: string }
  | { readonly provider: BillingProviderName; readonly customerId: string }
  | { readonly provider: BillingProviderName; readonly paymentIds: readonly string[] };

export type DeadLetterPosition = Pick<BillingEventRow, 'id' | 'event_at_ms'>;

/**
 * Lists dead letters with one reason in the order in which they happened, at most `limit` of those after a position.
 */
export function listDeadLetters(
  executor: Executor,
  { reason, of, after }: { readonly reason: string; readonly of: DeadLettersOf; readonly after?: DeadLetterPosition },
  limit: number,
): Promise<DeadLetterPosition[]> {
  const query = executor
    .selectFrom('billing_events')
    .select(['id', 'event_at_ms'])
    .where('state', '=', 'dead_letter')
    .where('reason', '=', reason)
    .where(isOf(of))
    .orderBy('event_at_ms')
    .orderBy('id')
    .limit(limit);
  if (after === undefined) return query.execute();
  return query
    .where(({ eb, refTuple, tuple }) => eb(refTuple('event_at_ms', 'id'), '>', tuple(after.event_at_ms, after.id)))
    .execute();
}

const eb = expressionBuilder<Tables, 'billing_events'>();

/** Conditions that what dead letters wait for may be known. */
const isKnown = {
  'confirmed emails': eb.exists(
    eb
      .selectFrom('users')
      .select('users.id')
      .whereRef('users.email_key', '=', eb.fn('lower', ['billing_events.email']))
      .where('users.email_confirmed_at_ms', 'is not', null),
  ),
  'known customers': eb.exists(
    eb
      .selectFrom('billing_customers as known')
      .select('known.customer_id')
      .whereRef('known.provider', '=', 'billing_events.provider')
      .whereRef('known.customer_id', '=', 'billing_events.customer_id'),
  ),
  'known payments': eb.or([
    eb.exists(
      eb
        .selectFrom('billing_payments as known')
        .select('known.id')
        .whereRef('known.provider', '=', 'billing_events.provider')
        .whereRef('known.id', '=', 'billing_events.payment_id'),
    ),
    eb.exists(
      eb
        .selectFrom('provider_subscriptions as known')
        .select('known.reference')
        .whereRef('known.provider', '=', 'billing_events.provider')
        .whereRef('known.customer_id', '=', 'billing_events.customer_id'),
    ),
  ]),
};

function isOf(of: DeadLettersOf): Expression<SqlBool> {
  if (typeof of === 'string') return isKnown[of];
  if ('emailKey' in of) return eb(eb.fn('lower', ['email']), '=', of.emailKey);
  const isOfProvider = eb('provider', '=', of.provider);
  if ('customerId' in of) return isOfProvider.and('customer_id', '=', of.customerId);
  return isOfProvider.and('payment_id', 'in', of.paymentIds);
}

export type Customer = Tables['billing_customers'];

/** Selects by provider as well, because the indexes begin with it. */
function selectCustomers(executor: Executor, providers: readonly BillingProviderName[] = paymentProviders) {
  return executor.selectFrom('billing_customers').selectAll().where('provider', 'in', providers);
}

export function findCustomer(
  executor: Executor,
  { provider, customer_id }: Pick<Customer, 'provider' | 'customer_id'>,
): Promise<Customer | undefined> {
  return selectCustomers(executor, [provider]).where('customer_id', '=', customer_id).executeTakeFirst();
}

type CustomerEmail = Omit<Customer, 'user_id' | 'email_at_ms'> & { readonly email_at_ms: number };

/** Adds the customer or updates the email, unless the stored one is from a later event: events arrive in any order. */
export async function saveCustomerEmail(transaction: Transaction, customer: CustomerEmail): Promise<void> {
  const { email, email_at_ms } = customer;
  await transaction
    .insertInto('billing_customers')
    .values({ ...customer, user_id: null })
    .onConflict((conflict) =>
      conflict
        .columns(['provider', 'customer_id'])
        .doUpdateSet({ email, email_at_ms })
        .where((where) =>
          where.or([
            where('billing_customers.email_at_ms', 'is', null),
            where('billing_customers.email_at_ms', '<=', email_at_ms),
          ]),
        ),
    )
    .execute();
}

/** Binds the customer to the account, unless it is already bound to one. */
export async function bindCustomer(
  transaction: Transaction,
  customer: Pick<Customer, 'provider' | 'customer_id'> & { readonly user_id: string },
): Promise<void> {
  await transaction
    .insertInto('billing_customers')
    .values({ email: null, email_at_ms: null, ...customer })
    .onConflict((conflict) =>
      conflict
        .columns(['provider', 'customer_id'])
        .doUpdateSet({ user_id: customer.user_id })
        .where('billing_customers.user_id', 'is', null),
    )
    .execute();
}

/** Returns the customers with these ids, of any provider. */
export function listCustomers(executor: Executor, customerIds: readonly string[]): Promise<Customer[]> {
  return selectCustomers(executor)
    .where('customer_id', ...oneOf(executor, customerIds))
    .execute();
}

/** Returns the customers of any provider that have typed one of these emails. */
export function listCustomersOfEmails(executor: Executor, emailKeys: readonly string[]): Promise<Customer[]> {
  return selectCustomers(executor)
    .where(({ fn }) => fn('lower', [fn('trim', ['email'])]), ...oneOf(executor, emailKeys))
    .execute();
}
