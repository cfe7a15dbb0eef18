/** Queries on what payments belong to, and on what providers say about their subscriptions. */
import type { Executor, Transaction } from '../database/database.ts';
import { exists, oneOf } from '../database/queries.ts';
import { type BillingProviderName, paymentProviders, type Tables } from '../database/tables.ts';
import { latest } from './billing.rules.ts';
import type { PaymentLink } from './billing-event.ts';

export type ProviderSubscription = Tables['provider_subscriptions'];
type Key = Pick<ProviderSubscription, 'provider' | 'reference'>;

/** Selects by provider as well, because the indexes begin with it. */
function selectSubscriptions(executor: Executor, providers: readonly BillingProviderName[] = paymentProviders) {
  return executor.selectFrom('provider_subscriptions').selectAll().where('provider', 'in', providers);
}

/** Adds the links. Fields that a link leaves out keep the values of an earlier one. */
export async function savePaymentLinks(
  transaction: Transaction,
  links: readonly PaymentLink[],
  { provider, nowMs }: { readonly provider: BillingProviderName; readonly nowMs: number },
): Promise<void> {
  for (const { id, belongsTo, reference, customerId } of links) {
    await transaction
      .insertInto('billing_payments')
      .values({
        provider,
        id,
        belongs_to: belongsTo ?? null,
        reference: reference ?? null,
        customer_id: customerId ?? null,
        received_at_ms: nowMs,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['provider', 'id'])
          .doUpdateSet({ belongs_to: belongsTo, reference, customer_id: customerId, received_at_ms: nowMs }),
      )
      .execute();
  }
}

export function findPayment(
  executor: Executor,
  provider: BillingProviderName,
  id: string,
): Promise<Tables['billing_payments'] | undefined> {
  return executor
    .selectFrom('billing_payments')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Returns the ids of what directly belongs to one of these. */
export async function listBelongingTo(
  executor: Executor,
  provider: BillingProviderName,
  { ids, limit }: { readonly ids: readonly string[]; readonly limit: number },
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .selectFrom('billing_payments')
    .select('id')
    .where('provider', '=', provider)
    .where('belongs_to', 'in', ids)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Returns true if a payment is known to be for the subscription, which means that the provider reports what its
 * payments are for.
 */
export function hasKnownPayment(executor: Executor, { provider, reference }: Key): Promise<boolean> {
  const payments = executor
    .selectFrom('billing_payments as invoice')
    .innerJoin('billing_payments as payment', (join) =>
      join.onRef('payment.provider', '=', 'invoice.provider').onRef('payment.belongs_to', '=', 'invoice.id'),
    )
    .where('invoice.provider', '=', provider)
    .where('invoice.reference', '=', reference);
  return exists(payments);
}

export function findProviderSubscription(
  executor: Executor,
  { provider, reference }: Key,
): Promise<ProviderSubscription | undefined> {
  return selectSubscriptions(executor, [provider]).where('reference', '=', reference).executeTakeFirst();
}

/**
 * Returns at most two subscriptions of the customer, since callers only need to know whether there is more than one.
 */
export function listOfCustomer(
  executor: Executor,
  provider: BillingProviderName,
  customerId: string,
): Promise<ProviderSubscription[]> {
  return selectSubscriptions(executor, [provider])
    .where('customer_id', '=', customerId)
    .orderBy('reference')
    .limit(2)
    .execute();
}

/** Returns all subscriptions of these customers, of any provider. */
export function listOfCustomers(executor: Executor, customerIds: readonly string[]): Promise<ProviderSubscription[]> {
  return selectSubscriptions(executor)
    .where('customer_id', ...oneOf(executor, customerIds))
    .execute();
}

/** Returns the subscriptions bought with the order, limited to the customer if that is known. */
export function listOfOrder(
  executor: Executor,
  provider: BillingProviderName,
  { orderId, customerId }: { readonly orderId: string; readonly customerId: string | undefined },
): Promise<ProviderSubscription[]> {
  let query = selectSubscriptions(executor, [provider]).where('order_id', '=', orderId).orderBy('reference');
  if (customerId !== undefined) query = query.where('customer_id', '=', customerId);
  return query.execute();
}

/** Adds the subscription, or updates the fields that are given and not `undefined`. */
export async function saveProviderSubscription(
  transaction: Transaction,
  row: Key & Partial<ProviderSubscription>,
): Promise<ProviderSubscription> {
  const { provider: _provider, reference: _reference, ...changed } = row;
  const unknown = {
    customer_id: null,
    order_id: null,
    status: null,
    last_event_at_ms: null,
    period_start_ms: null,
    refunded_at_ms: null,
    paid_at_ms: null,
    license_id: null,
    is_license_suspended: 0,
  } as const;
  return transaction
    .insertInto('provider_subscriptions')
    .values({ ...unknown, ...row })
    .onConflict((conflict) =>
      // An update, so that an existing row is returned as well.
      conflict.columns(['provider', 'reference']).doUpdateSet({ provider: row.provider, ...changed }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Returns true if the account has a license other than those suspended because they are no longer paid for. */
export function isLicensed(executor: Executor, userId: string): Promise<boolean> {
  const licenses = executor
    .selectFrom('licenses')
    .where('user_id', '=', userId)
    .where((eb) =>
      eb.or([
        eb('status', '!=', 'inactive'),
        eb.not(
          eb.exists(
            eb
              .selectFrom('provider_subscriptions')
              .select('license_id')
              .whereRef('license_id', '=', 'licenses.id')
              .where('is_license_suspended', '=', 1),
          ),
        ),
      ]),
    );
  return exists(licenses);
}

type LicensedPurchase = ProviderSubscription & { readonly license_id: string };

/**
 * Returns the subscriptions for which an active license of the account was issued, or to which one has moved since. A
 * suspended license that is active again was reactivated by staff, and is left out.
 */
export async function listLicensedPurchases(executor: Executor, userId: string): Promise<LicensedPurchase[]> {
  return executor
    .selectFrom('licenses')
    .innerJoin('provider_subscriptions as purchase', 'purchase.license_id', 'licenses.id')
    .selectAll('purchase')
    .select('licenses.id as license_id')
    .where('licenses.user_id', '=', userId)
    .where('licenses.status', '=', 'active')
    .where('purchase.is_license_suspended', '=', 0)
    .orderBy('licenses.id')
    .execute();
}

/** Returns what any provider says about subscriptions with these references. */
export function listProviderSubscriptions(
  executor: Executor,
  references: readonly string[],
): Promise<ProviderSubscription[]> {
  return selectSubscriptions(executor)
    .where('reference', ...oneOf(executor, references))
    .execute();
}

/** Changes the reference of the subscription, and merges it with what is already stored under the new one. */
export async function renameProviderSubscription(
  transaction: Transaction,
  { provider, reference }: Key,
  to: string,
): Promise<void> {
  const [before, there] = [
    await findProviderSubscription(transaction, { provider, reference }),
    await findProviderSubscription(transaction, { provider, reference: to }),
  ];
  if (!before) return;
  await transaction
    .deleteFrom('provider_subscriptions')
    .where('provider', '=', provider)
    .where('reference', '=', reference)
    .execute();
  await saveProviderSubscription(transaction, {
    ...before,
    reference: to,
    last_event_at_ms: latest(before.last_event_at_ms, there?.last_event_at_ms),
    refunded_at_ms: latest(before.refunded_at_ms, there?.refunded_at_ms),
    paid_at_ms: latest(before.paid_at_ms, there?.paid_at_ms),
  });
}
