/** Queries on the events of billing providers and on their customers. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { isOneOf } from '../database/many-rows.ts';
import type { BillingProviderName, Tables } from '../database/tables.ts';

export type BillingEventRow = Tables['billing_events'];

/** False for an event that is stored already: it is a repetition. */
export async function insertEvent(transaction: Transaction, row: BillingEventRow): Promise<boolean> {
  const result = await transaction
    .insertInto('billing_events')
    .values(row)
    .onConflict((conflict) => conflict.columns(['provider', 'event_id']).doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}

export type EventOutcome = Pick<BillingEventRow, 'state' | 'reason' | 'email' | 'payload'>;

export async function setOutcome(transaction: Transaction, id: string, outcome: EventOutcome): Promise<void> {
  await transaction.updateTable('billing_events').set(outcome).where('id', '=', id).execute();
}

/** A dead letter. On PostgreSQL no other transaction applies it meanwhile. */
export async function lockDeadLetter(transaction: Transaction, id: string): Promise<BillingEventRow | undefined> {
  // An update that changes nothing locks the row, and sees what another transaction has made of it.
  return await transaction
    .updateTable('billing_events')
    .set({ state: 'dead_letter' })
    .where('id', '=', id)
    .where('state', '=', 'dead_letter')
    .returningAll()
    .executeTakeFirst();
}

export function findEvent(executor: Executor, id: string): Promise<BillingEventRow | undefined> {
  return executor.selectFrom('billing_events').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The ids of dead letters of a customer, in the order in which they happened. */
export async function listDeadLettersOfCustomer(
  executor: Executor,
  of: {
    readonly provider: BillingProviderName;
    readonly customerId: string;
    readonly reason: string;
    readonly limit: number;
  },
): Promise<string[]> {
  const rows = await executor
    .selectFrom('billing_events')
    .select('id')
    .where('provider', '=', of.provider)
    .where('customer_id', '=', of.customerId)
    .where('state', '=', 'dead_letter')
    .where('reason', '=', of.reason)
    .orderBy('event_at_ms')
    .orderBy('id')
    .limit(of.limit)
    .execute();
  return rows.map(({ id }) => id);
}

export type Customer = Tables['billing_customers'];

export function findCustomer(
  executor: Executor,
  { provider, customer_id }: Pick<Customer, 'provider' | 'customer_id'>,
): Promise<Customer | undefined> {
  return executor
    .selectFrom('billing_customers')
    .selectAll()
    .where('provider', '=', provider)
    .where('customer_id', '=', customer_id)
    .executeTakeFirst();
}

/** Adds the customer, or changes what is given of it. */
export async function saveCustomer(
  transaction: Transaction,
  customer: Pick<Customer, 'provider' | 'customer_id'> & Partial<Customer>,
): Promise<void> {
  const { provider: _provider, customer_id: _id, ...changed } = customer;
  await transaction
    .insertInto('billing_customers')
    .values({ email: null, user_id: null, ...customer })
    .onConflict((conflict) => conflict.columns(['provider', 'customer_id']).doUpdateSet(changed))
    .execute();
}

/** From now on the customer belongs to the account, unless it belongs to one already. */
export async function bindCustomer(
  transaction: Transaction,
  customer: Pick<Customer, 'provider' | 'customer_id'> & { readonly user_id: string },
): Promise<void> {
  await transaction
    .insertInto('billing_customers')
    .values({ email: null, ...customer })
    .onConflict((conflict) =>
      conflict
        .columns(['provider', 'customer_id'])
        .doUpdateSet({ user_id: customer.user_id })
        .where('billing_customers.user_id', 'is', null),
    )
    .execute();
}

/** The ids of dead letters with that email, in the order in which they happened. */
export async function listDeadLettersOfEmail(
  executor: Executor,
  { emailKey, reason, limit }: { readonly emailKey: string; readonly reason: string; readonly limit: number },
): Promise<string[]> {
  const rows = await executor
    .selectFrom('billing_events')
    .select('id')
    .where('state', '=', 'dead_letter')
    .where('reason', '=', reason)
    .where(sql<boolean>`lower(email) = cast(${emailKey} as text)`)
    .orderBy('event_at_ms')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The ids of dead letters of these payments, in the order in which they happened. */
export async function listDeadLettersOfPayments(
  executor: Executor,
  of: {
    readonly provider: BillingProviderName;
    readonly paymentIds: readonly string[];
    readonly reason: string;
    readonly limit: number;
  },
): Promise<string[]> {
  const rows = await executor
    .selectFrom('billing_events')
    .select('id')
    .where('provider', '=', of.provider)
    .where('payment_id', 'in', of.paymentIds)
    .where('state', '=', 'dead_letter')
    .where('reason', '=', of.reason)
    .orderBy('event_at_ms')
    .orderBy('id')
    .limit(of.limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Those of the provider with these ids. */
export function listCustomers(
  executor: Executor,
  provider: BillingProviderName,
  customerIds: readonly string[],
): Promise<Customer[]> {
  return executor
    .selectFrom('billing_customers')
    .selectAll()
    .where('provider', '=', provider)
    .where(isOneOf(executor, 'customer_id', customerIds))
    .execute();
}

/** Those of the provider that have typed one of these emails. */
export function listCustomersOfEmails(
  executor: Executor,
  provider: BillingProviderName,
  emailKeys: readonly string[],
): Promise<Customer[]> {
  return executor
    .selectFrom('billing_customers')
    .selectAll()
    .where('provider', '=', provider)
    .where(isOneOf(executor, sql`lower(trim(email))`, emailKeys))
    .execute();
}
