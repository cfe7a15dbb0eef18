/** Lemon Squeezy's own webhooks: docs.lemonsqueezy.com/help/webhooks, docs.lemonsqueezy.com/api/subscriptions. */
import { createHmac, hash } from 'node:crypto';
import { z } from 'zod';
import type { SubscriptionStatus } from '../database/tables.ts';
import { isSameTag } from '../encryption.ts';
import type { SignedRequest } from '../webhook-signature.ts';
import type {
  BillingContent,
  BillingEvent,
  BillingProvider,
  EventSource,
  SubscriptionChange,
} from './billing-event.ts';
import { readPaymentEvent } from './lemon-squeezy-payments.ts';
import { eventType, instant, lemonSqueezyId, parsePayload, storableText } from './payload.ts';

const id = lemonSqueezyId;

/** Custom data, which the buyer's link can set freely: only a token of this server is trusted. */
const customData = z.object({ token: storableText(2000).optional().catch(undefined) });

const envelope = z.object({
  meta: z.object({ event_name: eventType, custom_data: customData.nullish().catch(undefined) }),
  data: z.unknown(),
});

const subscription = z.object({
  type: z.literal('subscriptions'),
  id,
  attributes: z.object({
    customer_id: id.nullish(),
    order_id: id.nullish(),
    variant_id: id.nullish(),
    first_subscription_item: z.object({ price_id: id.nullish() }).nullish(),
    user_email: storableText(254),
    status: storableText(100),
    cancelled: z.boolean().default(false),
    trial_ends_at: instant.nullish(),
    renews_at: instant.nullish(),
    ends_at: instant.nullish(),
    created_at: instant.nullish(),
    updated_at: instant,
  }),
});
type Attributes = z.output<typeof subscription>['attributes'];

/** A cancelled subscription gives access until it ends, and then reads `expired` without another event. */
export const lemonSqueezyStatuses: ReadonlyMap<string, SubscriptionStatus> = new Map([
  ['on_trial', 'trialing'],
  ['active', 'active'],
  ['past_due', 'past_due'],
  ['cancelled', 'active'],
  ['unpaid', 'expired'],
  ['paused', 'expired'],
  ['expired', 'expired'],
]);

/** Creates the provider; `plansByPrice` has the plans of variants and prices. */
export function createLemonSqueezyBilling(secret: string, plansByPrice: ReadonlyMap<string, string>): BillingProvider {
  return {
    name: 'lemonsqueezy',
    verify: (request) => isSigned(secret, request),
    read(source): BillingEvent {
      const { meta, data } = parsePayload(envelope, source.payload);
      const payment = readPaymentEvent(meta.event_name, data);
      if (payment) return { id: eventIdOf(source), type: meta.event_name, ...payment };
      const parsed = subscription.safeParse(data);
      const atMs = parsed.data?.attributes.updated_at ?? source.receivedAtMs;
      const content = parsed.success
        ? readSubscription(parsed.data, meta.custom_data ?? {}, plansByPrice)
        : { kind: 'unknown' as const, reason: describeUnknown(data) };
      return { id: eventIdOf(source), type: meta.event_name, atMs, content };
    },
  };
}

/** Checks `X-Signature`: HMAC-SHA-256 of the body, in hex. It does not say when it was signed. */
function isSigned(secret: string, { headers, body }: SignedRequest): boolean {
  const signature = headers['x-signature'];
  if (typeof signature !== 'string') return false;
  return isSameTag(Buffer.from(signature, 'hex'), createHmac('sha256', secret).update(body).digest());
}

/** Returns an id, since the events have none: a repetition has the same body. */
function eventIdOf({ body }: EventSource): string {
  return hash('sha256', body);
}

function describeUnknown(data: unknown): string {
  const { data: parsed } = z.object({ type: storableText(100) }).safeParse(data);
  switch (parsed?.type) {
    case 'subscriptions':
      return 'The subscription cannot be understood.';
    case 'subscription-invoices':
      return 'The type of the event is not known, or its invoice cannot be understood.';
    default:
      return 'The type of the event is not known.';
  }
}

function readSubscription(
  { id: reference, attributes }: z.output<typeof subscription>,
  custom: z.output<typeof customData>,
  plansByPrice: ReadonlyMap<string, string>,
): BillingContent {
  const status = lemonSqueezyStatuses.get(attributes.status);
  if (status === undefined) return { kind: 'unknown', reason: `The status "${attributes.status}" is not known.` };
  const { variant_id, first_subscription_item, customer_id, order_id } = attributes;
  const prices = [variant_id, first_subscription_item?.price_id];
  const planned = prices.map((price) => price && plansByPrice.get(price)).find((found) => found);
  const change: SubscriptionChange = {
    checkoutToken: custom.token,
    email: attributes.user_email,
    customerId: customer_id ?? undefined,
    reference,
    orderId: order_id ?? undefined,
    plan: planned || undefined,
    status,
    createdAtMs: attributes.created_at ?? undefined,
    periodEndMs: endOf(attributes),
    cancelAtPeriodEnd: attributes.cancelled,
  };
  return { kind: 'subscription', change };
}

function endOf({ status, ends_at, trial_ends_at, renews_at }: Attributes): number | undefined {
  const next = status === 'on_trial' ? (trial_ends_at ?? renews_at) : renews_at;
  return ends_at ?? next ?? undefined;
}
