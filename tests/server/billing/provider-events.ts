/** Events as Stripe and Lemon Squeezy document them, without long parts that are not read. */
import { createHmac, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { day } from '../../harness/fake-clock.ts';
import type { TestApp } from '../../harness/start-app.ts';
import type { Json } from '../../harness/test-server.ts';

export const providerSecret = 'whsec_a signing secret';

/** Settings for both providers, and for a mail server that accepts nothing. */
export const providerSettings = {
  LATCHKEY_STRIPE_WEBHOOK_SECRET: providerSecret,
  LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET: providerSecret,
  LATCHKEY_BILLING_PRICES: 'price_standard=standard,price_advanced=advanced,11=standard,12=advanced',
};

export const newId = (prefix: string): string => `${prefix}_${randomBytes(8).toString('hex')}`;
export const newNumber = (): number => randomBytes(4).readUInt32BE();

/** Returns the subscription of the account with this email, as staff see it. */
export async function subscriptionOf({ services }: Pick<TestApp, 'services'>, email: string) {
  const { id } = await services.accounts.getByEmail(email);
  return services.subscriptions.get(id);
}

type Server = Pick<TestApp, 'request' | 'now'>;

/** Before 2025-03-31, invoices and charges reference each other; since then, an invoice payment links them. */
export type StripeVersion = '2024-06-20' | '2025-03-31.basil';

/** A subscription at Stripe with its customer and the ids of its payment. */
export type StripePurchase = {
  readonly email: string;
  readonly customer: string;
  readonly subscription: string;
  readonly invoice: string;
  readonly paymentIntent: string;
  readonly charge: string;
  readonly price: string;
};

export function newStripePurchase(email: string, fields: Partial<StripePurchase> = {}): StripePurchase {
  return {
    email,
    customer: newId('cus'),
    subscription: newId('sub'),
    invoice: newId('in'),
    paymentIntent: newId('pi'),
    charge: newId('ch'),
    price: 'price_standard',
    ...fields,
  };
}

const toSeconds = (timeMs: number) => Math.floor(timeMs / 1000);

/** Builds the events of a purchase, dated `atMs`. */
export function stripeEvents(purchase: StripePurchase, version: StripeVersion = '2025-03-31.basil') {
  const { email, customer, subscription, invoice, paymentIntent, charge, price } = purchase;
  const isOld = version < '2025-03-31';
  const event = (type: string, atMs: number, object: Json) => ({
    id: newId('evt'),
    object: 'event',
    api_version: version,
    created: toSeconds(atMs),
    livemode: false,
    type,
    data: { object },
  });
  const amount = 4900;
  const chargeObject = (fields: Json) => ({
    id: charge,
    object: 'charge',
    amount,
    amount_captured: amount,
    amount_refunded: 0,
    captured: true,
    customer,
    disputed: false,
    paid: true,
    payment_intent: paymentIntent,
    refunded: false,
    status: 'succeeded',
    ...(isOld && { invoice }),
    ...fields,
  });
  return {
    /** The period lasts 30 days from `periodMs`. */
    subscription: (type: 'created' | 'updated' | 'deleted', atMs: number, periodMs = atMs, status = 'active') => {
      const period = {
        current_period_start: toSeconds(periodMs),
        current_period_end: toSeconds(periodMs + 30 * day),
      };
      return event(`customer.subscription.${type}`, atMs, {
        id: subscription,
        object: 'subscription',
        customer,
        status,
        cancel_at_period_end: false,
        metadata: { email },
        items: { object: 'list', data: [{ id: 'si_1', price: { id: price, object: 'price' }, ...(!isOld && period) }] },
        ...(isOld && period),
      });
    },
    invoicePaid: (atMs: number, fields: Json = {}) =>
      event('invoice.paid', atMs, {
        id: invoice,
        object: 'invoice',
        amount_due: amount,
        amount_paid: amount,
        amount_remaining: 0,
        billing_reason: 'subscription_create',
        customer,
        customer_email: email,
        status: 'paid',
        status_transitions: { finalized_at: toSeconds(atMs), paid_at: toSeconds(atMs) },
        ...(isOld
          ? { subscription, charge, payment_intent: paymentIntent, paid: true }
          : { parent: { type: 'subscription_details', quote_details: null, subscription_details: { subscription } } }),
        ...fields,
      }),
    invoicePaymentPaid: (atMs: number) =>
      event('invoice_payment.paid', atMs, {
        id: newId('inpay'),
        object: 'invoice_payment',
        amount_paid: amount,
        amount_requested: amount,
        invoice,
        is_default: true,
        payment: { type: 'payment_intent', payment_intent: paymentIntent },
        status: 'paid',
        status_transitions: { canceled_at: null, paid_at: toSeconds(atMs) },
      }),
    refunded: (atMs: number, fields: Json = {}) =>
      event('charge.refunded', atMs, chargeObject({ amount_refunded: amount, refunded: true, ...fields })),
    disputeClosed: (atMs: number, status: string, fields: Json = {}) =>
      event('charge.dispute.closed', atMs, {
        id: newId('du'),
        object: 'dispute',
        amount,
        charge,
        payment_intent: paymentIntent,
        reason: 'fraudulent',
        status,
        ...fields,
      }),
    checkoutCompleted: (atMs: number) =>
      event('checkout.session.completed', atMs, {
        id: newId('cs'),
        object: 'checkout.session',
        mode: 'subscription',
        customer,
        customer_details: { email },
        invoice,
        payment_intent: null,
        subscription,
      }),
  };
}

/** Signs and sends a Stripe event. Resolves with the status. */
export async function sendStripe(server: Server, event: object, signedWith = providerSecret): Promise<number> {
  const body = JSON.stringify(event);
  const seconds = toSeconds(server.now());
  const mac = createHmac('sha256', signedWith).update(`${seconds}.${body}`).digest('hex');
  const headers = { 'stripe-signature': `t=${seconds},v1=${mac}` };
  return (await server.request('POST', '/api/v1/billing/stripe', { body, headers })).status;
}

/** A subscription at Lemon Squeezy. */
export type LemonPurchase = {
  readonly email: string;
  readonly customer: number;
  readonly subscription: number;
  readonly order: number;
  readonly variant: number;
  readonly custom: Json;
};

export function newLemonPurchase(email: string, fields: Partial<LemonPurchase> = {}): LemonPurchase {
  const [customer, subscription, order] = [newNumber(), newNumber(), newNumber()];
  return { email, customer, subscription, order, variant: 11, custom: {}, ...fields };
}

const toMicroseconds = (timeMs: number) => new Date(timeMs).toISOString().replace(/\.(\d+)Z/, '.$1000Z');

/** Builds the events of a purchase, dated `atMs`. */
export function lemonEvents({ email, customer, subscription, order, variant, custom }: LemonPurchase) {
  const event = (eventName: string, data: Json) => ({
    meta: { test_mode: false, event_name: eventName, custom_data: custom, webhook_id: newId('webhook') },
    data,
  });
  const payment = (atMs: number) => ({
    store_id: 1,
    customer_id: customer,
    user_name: 'Ada',
    user_email: email,
    currency: 'USD',
    total: 4900,
    created_at: toMicroseconds(atMs),
    updated_at: toMicroseconds(atMs),
  });
  const refund = (atMs: number) => ({
    status: 'refunded',
    status_formatted: 'Refunded',
    refunded: true,
    refunded_at: toMicroseconds(atMs),
    refunded_amount: 4900,
  });
  const invoice = (eventName: string, atMs: number, fields: Json) =>
    event(eventName, {
      type: 'subscription-invoices',
      id: String(newNumber()),
      attributes: { ...payment(atMs), subscription_id: subscription, billing_reason: 'renewal', ...fields },
    });
  return {
    /** The period lasts 30 days from `periodMs`. */
    subscription: (eventName: string, atMs: number, periodMs = atMs, attributes: Json = {}) =>
      event(eventName, {
        type: 'subscriptions',
        id: String(subscription),
        attributes: {
          store_id: 1,
          customer_id: customer,
          order_id: order,
          variant_id: variant,
          user_name: 'Ada',
          user_email: email,
          status: 'active',
          cancelled: false,
          trial_ends_at: null,
          renews_at: toMicroseconds(periodMs + 30 * day),
          ends_at: null,
          first_subscription_item: { id: 1, price_id: 21 },
          created_at: toMicroseconds(atMs),
          updated_at: toMicroseconds(atMs),
          ...attributes,
        },
      }),
    paymentSuccess: (atMs: number) =>
      invoice('subscription_payment_success', atMs, { status: 'paid', refunded: false, refunded_at: null }),
    paymentRefunded: (atMs: number, fields: Json = {}) =>
      invoice('subscription_payment_refunded', atMs, { ...refund(atMs), ...fields }),
    orderRefunded: (atMs: number, fields: Json = {}) =>
      event('order_refunded', {
        type: 'orders',
        id: String(order),
        attributes: { ...payment(atMs), identifier: newId('order'), order_number: 1, ...refund(atMs), ...fields },
      }),
  };
}

/** Signs and sends a Lemon Squeezy event. Resolves with the status. */
export async function sendLemon(server: Server, event: object, signedWith = providerSecret): Promise<number> {
  const body = JSON.stringify(event);
  const headers = { 'x-signature': createHmac('sha256', signedWith).update(body).digest('hex') };
  return (await server.request('POST', '/api/v1/billing/lemonsqueezy', { body, headers })).status;
}

/** Returns all permutations of the items. */
export function permutationsOf<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) =>
    permutationsOf(items.filter((_other, at) => at !== index)).map((others) => [item, ...others]),
  );
}

export async function sendAllToStripe(server: Server, events: readonly object[]): Promise<void> {
  for (const event of events) expect(await sendStripe(server, event)).toBe(200);
}

export async function sendAllToLemon(server: Server, events: readonly object[]): Promise<void> {
  for (const event of events) expect(await sendLemon(server, event)).toBe(200);
}
