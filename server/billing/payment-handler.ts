/**
 * Applies billing events about payments: that a subscription was paid, or that a payment was refunded. The result
 * depends on when this happened, not on the order in which the events arrive.
 */
import type { AuditContext } from '../audit/audit-event.ts';
import type { Transaction } from '../database/database.ts';
import type { BillingProviderName } from '../database/tables.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import { latest, readStatus } from './billing.rules.ts';
import type { BillingEvent, PaymentLink, Refund } from './billing-event.ts';
import type { PaidLicenses } from './paid-licenses.ts';
import * as repository from './payment.repository.ts';

type PaymentHandlerDeps = {
  readonly subscriptions: SubscriptionService;
  readonly paidLicenses: PaidLicenses;
};

/** The event that is applied. */
export type EventContext = {
  readonly provider: BillingProviderName;
  readonly event: BillingEvent;
  readonly nowMs: number;
  readonly by: AuditContext;
};

/** The time of a payment or refund. */
type Settled = Pick<repository.ProviderSubscription, 'reference'> &
  Partial<Pick<repository.ProviderSubscription, 'paid_at_ms' | 'refunded_at_ms'>>;

/** How many links a payment is followed: from a charge to its payment intent, invoice and subscription. */
const maxSteps = 4;
/** A payment intent has few charges, and an invoice few payments. */
const maxPayments = 100;

export class PaymentHandler {
  readonly #deps: PaymentHandlerDeps;

  constructor(deps: PaymentHandlerDeps) {
    this.#deps = deps;
  }

  /** Returns the ids of these invoices, charges and payments, and of all payments that lead to them. */
  async listLeadingTo(
    transaction: Transaction,
    provider: BillingProviderName,
    links: readonly PaymentLink[],
  ): Promise<string[]> {
    let ids = links.map(({ id }) => id);
    const found = new Set(ids);
    for (let step = 0; step < maxSteps; step++) {
      ids = await repository.listBelongingTo(transaction, provider, { ids, limit: maxPayments });
      for (const id of ids) found.add(id);
    }
    return [...found];
  }

  /** Records that the subscription was paid at that time: refunds of earlier payments no longer count. */
  async pay(
    transaction: Transaction,
    { reference, atMs }: { readonly reference: string; readonly atMs: number },
    context: EventContext,
  ): Promise<void> {
    await this.#settle(transaction, { reference, paid_at_ms: atMs }, context);
  }

  /**
   * Ends the access of every subscription that the payment was for. Returns the ids of their accounts, which is empty
   * if the payment was not for a subscription; `undefined` while it is unknown what the payment was for.
   */
  async refund(transaction: Transaction, refund: Refund, context: EventContext): Promise<string[] | undefined> {
    const references = await this.#findRefunded(transaction, refund, context.provider);
    if (!references) return undefined;
    const userIds: string[] = [];
    for (const reference of references) {
      const userId = await this.#settle(transaction, { reference, refunded_at_ms: context.event.atMs }, context);
      if (userId !== undefined) userIds.push(userId);
    }
    return userIds;
  }

  /**
   * Records the payment or refund, and sets the status of the subscription from all events so far. Returns its account;
   * `undefined` while there is none.
   */
  async #settle(
    transaction: Transaction,
    { reference, paid_at_ms, refunded_at_ms }: Settled,
    { provider, event, nowMs, by }: EventContext,
  ): Promise<string | undefined> {
    const { subscriptions, paidLicenses } = this.#deps;
    const found = await subscriptions.findOfProvider(transaction, provider, reference);
    if (found) await paidLicenses.lockAccount(transaction, found.user_id);
    const before = await repository.findProviderSubscription(transaction, { provider, reference });
    const atProvider = await repository.saveProviderSubscription(transaction, {
      provider,
      reference,
      paid_at_ms: latest(before?.paid_at_ms, paid_at_ms),
      refunded_at_ms: latest(before?.refunded_at_ms, refunded_at_ms),
    });
    // The account may have been deleted before it was locked.
    const row = found && (await subscriptions.findOfProvider(transaction, provider, reference));
    if (!row) return undefined;
    const userId = row.user_id;
    const status = readStatus(atProvider, atProvider.status ?? row.status, nowMs);
    const settled =
      status === row.status
        ? row
        : await subscriptions.apply(transaction, userId, {
            provider,
            reference,
            byTypedEmail: row.by_typed_email === 1,
            settings: {
              plan: row.plan,
              status,
              periodStartMs: row.current_period_start_ms,
              periodEndMs: row.current_period_end_ms,
              cancelAtPeriodEnd: row.cancel_at_period_end === 1,
            },
            by,
            details: { provider, event: event.type },
          });
    await paidLicenses.follow(transaction, settled, by);
    return userId;
  }

  async #findRefunded(
    transaction: Transaction,
    { reference, orderId, paymentId, customerId }: Refund,
    provider: BillingProviderName,
  ): Promise<readonly string[] | undefined> {
    if (reference !== undefined) return [reference];
    if (orderId !== undefined) {
      const bought = await repository.listOfOrder(transaction, provider, { orderId, customerId });
      if (bought.length > 0) return bought.map((one) => one.reference);
    }
    const payment = paymentId === undefined ? undefined : await this.#follow(transaction, paymentId, provider);
    if (payment?.reference !== undefined) return payment.reference === '' ? [] : [payment.reference];
    // Lemon Squeezy states the order or subscription of each refund, and anybody can become its customer by typing an
    // email.
    if (provider !== 'stripe') return undefined;
    const buyer = customerId ?? payment?.customerId;
    const [only, second] = buyer === undefined ? [] : await repository.listOfCustomer(transaction, provider, buyer);
    if (!only || second) return undefined;
    // If the provider reports the payments of this subscription, the refunded payment is not one of them.
    return (await repository.hasKnownPayment(transaction, only)) ? undefined : [only.reference];
  }

  /**
   * Finds the subscription that the payment was for: an empty reference means none, a missing one that it is not known
   * yet.
   */
  async #follow(
    transaction: Transaction,
    paymentId: string,
    provider: BillingProviderName,
  ): Promise<{ readonly reference?: string; readonly customerId?: string | undefined }> {
    let id = paymentId;
    let customerId: string | undefined;
    for (let step = 0; step <= maxSteps; step++) {
      const payment = await repository.findPayment(transaction, provider, id);
      customerId = payment?.customer_id ?? customerId;
      if (payment && payment.reference !== null) return { reference: payment.reference, customerId };
      if (!payment?.belongs_to) return { customerId };
      id = payment.belongs_to;
    }
    return { customerId };
  }
}

/** Why the refund of a payment waits. */
export const unknownPaymentReason =
  'It is not known which subscription was paid with this: it is applied once an event of the invoice says it.';
