/** Stripe's own webhooks: docs.stripe.com/webhooks, docs.stripe.com/api/subscriptions/object. */
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { SubscriptionStatus } from '../database/tables.ts';
import { isSameTag } from '../encryption.ts';
import { isTimely, type SignedRequest } from '../webhook-signature.ts';
import type { BillingContent, BillingEvent, BillingProvider, SubscriptionChange } from './billing-event.ts';
import { eventType, parsePayload, seconds, storableText } from './payload.ts';
import { readCheckoutLinks, readPaymentEvent, type StripeEvent, unknownType } from './stripe-payments.ts';

const id = storableText(255);
const email = storableText(254);

const envelope = z.object({
  id,
  type: eventType,
  created: seconds,
  api_version: storableText(100).nullish().catch(undefined),
  data: z.object({ object: z.unknown() }),
});

/** Metadata can be set only with the secret key of the Stripe account: not by a link, nor by the buyer. */
const metadata = z.object({
  plan: storableText(200).optional(),
  email: email.optional(),
  token: storableText(2000).optional().catch(undefined),
});

/** The customer of an object: its id, or the whole customer if the sender has expanded it. */
const customer = z.union([
  id.transform((value) => ({ id: value, email: undefined })),
  z.object({ id, email: email.nullish() }),
]);

/** The period, which belongs to the items since API version 2025-03-31, and to the subscription before. */
const period = { current_period_start: seconds.optional(), current_period_end: seconds.optional() };

const subscription = z.object({
  id,
  status: storableText(100),
  customer: customer.optional(),
  customer_email: email.nullish(),
  cancel_at_period_end: z.boolean().default(false),
  /** When a subscription ends instead of with its period, maybe after it was renewed several times. */
  cancel_at: seconds.nullish(),
  created: seconds.optional().catch(undefined),
  ...period,
  metadata: metadata.nullish(),
  items: z.object({ data: z.array(z.object({ price: z.object({ id }).nullish(), ...period })) }).optional(),
});

/** Objects that contain the email of a customer: a customer itself, or a checkout. */
const customerObject = z.object({ id, email });
const checkout = z.object({
  customer,
  customer_email: email.nullish(),
  customer_details: z.object({ email: email.nullish() }).nullish(),
});

const subscriptionTypes: readonly string[] = [
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
];

/** A subscription is `incomplete` until its first payment; that status gives nothing yet and ends nothing. */
export const stripeStatuses: ReadonlyMap<string, SubscriptionStatus | 'nothing'> = new Map([
  ['trialing', 'trialing'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['canceled', 'canceled'],
  ['unpaid', 'expired'],
  ['paused', 'expired'],
  ['incomplete', 'nothing'],
  ['incomplete_expired', 'nothing'],
]);

/**
 * Creates the provider; `plansByPrice` has the plan of each price. Metadata may name the plan only for a price without
 * one.
 */
export function createStripeBilling(secret: string, plansByPrice: ReadonlyMap<string, string>): BillingProvider {
  return {
    name: 'stripe',
    verify: (request) => isSigned(secret, request),
    read({ payload }): BillingEvent {
      const { id, type, created: atMs, data, api_version } = parsePayload(envelope, payload);
      const event = { type, atMs, object: data.object, apiVersion: api_version ?? undefined };
      return { id, type, atMs, content: readContent(event, plansByPrice) };
    },
  };
}

/**
 * Checks `Stripe-Signature: t=…,v1=…`: HMAC-SHA-256 of the time, a period and the body, keyed with the secret as
 * written.
 */
function isSigned(secret: string, { headers, body, nowMs }: SignedRequest): boolean {
  const header = headers['stripe-signature'];
  if (typeof header !== 'string') return false;
  const parts = header.split(',').map((part) => part.split('='));
  const [, timestamp = ''] = parts.find(([name]) => name === 't') ?? [];
  if (!isTimely(timestamp, nowMs)) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return parts.some(([name, hex = '']) => name === 'v1' && isSameTag(Buffer.from(hex, 'hex'), expected));
}

function readContent(event: StripeEvent, plansByPrice: ReadonlyMap<string, string>): BillingContent {
  const { type, object } = event;
  if (subscriptionTypes.includes(type)) return readSubscription(type, object, plansByPrice);
  if (type === 'customer.created' || type === 'customer.updated') {
    const parsed = customerObject.safeParse(object);
    return parsed.success ? { kind: 'customer', customerId: parsed.data.id, email: parsed.data.email } : nothing;
  }
  if (type === 'checkout.session.completed') {
    const parsed = checkout.safeParse(object);
    const address = parsed.data?.customer_details?.email ?? parsed.data?.customer_email ?? parsed.data?.customer.email;
    if (!parsed.data || !address) return nothing;
    return { kind: 'customer', customerId: parsed.data.customer.id, email: address, links: readCheckoutLinks(object) };
  }
  return readPaymentEvent(event) ?? { kind: 'unknown', reason: unknownType };
}

const nothing: BillingContent = { kind: 'nothing' };

function readSubscription(type: string, object: unknown, plansByPrice: ReadonlyMap<string, string>): BillingContent {
  const parsed = subscription.safeParse(object);
  if (!parsed.success) return { kind: 'unknown', reason: 'The subscription cannot be understood.' };
  const { data } = parsed;
  const status = type === 'customer.subscription.deleted' ? 'canceled' : stripeStatuses.get(data.status);
  if (status === undefined) return { kind: 'unknown', reason: `The status "${data.status}" is not known.` };
  if (status === 'nothing') return nothing;
  const items = data.items?.data ?? [];
  const planned = items.map(({ price }) => (price ? plansByPrice.get(price.id) : undefined)).find((plan) => plan);
  const periodEndMs = data.current_period_end ?? items[0]?.current_period_end;
  const change: SubscriptionChange = {
    accountEmail: data.metadata?.email,
    checkoutToken: data.metadata?.token,
    email: data.customer_email ?? data.customer?.email ?? undefined,
    customerId: data.customer?.id,
    reference: data.id,
    plan: planned ?? data.metadata?.plan,
    status,
    createdAtMs: data.created,
    periodStartMs: data.current_period_start ?? items[0]?.current_period_start,
    periodEndMs,
    cancelAtPeriodEnd:
      data.cancel_at_period_end || (data.cancel_at != null && data.cancel_at <= (periodEndMs ?? Infinity)),
  };
  return { kind: 'subscription', change };
}
