/** The billing webhook for any sender: signed according to Standard Webhooks, with a single type of event. */
import { z } from 'zod';
import { subscriptionStatuses } from '../../shared/api/subscription.ts';
import { verifyWebhook } from '../webhook-signature.ts';
import type { BillingContent, BillingEvent, BillingProvider } from './billing-event.ts';
import { eventType, instant, parsePayload, storableText } from './payload.ts';

const envelope = z.object({
  type: eventType,
  timestamp: instant.optional().catch(undefined),
  data: z
    .object({ email: storableText(254) })
    .optional()
    .catch(undefined),
});

const subscriptionUpdated = z.object({
  timestamp: instant,
  data: z.object({
    email: storableText(254),
    plan: storableText(200),
    status: z.enum(subscriptionStatuses),
    current_period_start: instant.optional(),
    current_period_end: instant.optional(),
    cancel_at_period_end: z.boolean().default(false),
  }),
});

export function createStandardBilling(secret: Buffer): BillingProvider {
  return {
    name: 'webhook',
    verify: (request) => verifyWebhook(secret, request),
    readEventId(headers) {
      return String(headers['webhook-id']);
    },
    read({ payload, eventId, receivedAtMs }): BillingEvent {
      const { type, timestamp = receivedAtMs, data } = parsePayload(envelope, payload);
      const content: BillingContent =
        type === 'subscription.updated'
          ? readSubscription(payload)
          : { kind: 'unknown', reason: 'The type of the event is not known.', email: data?.email };
      return { id: eventId, type, atMs: timestamp, content };
    },
  };
}

function readSubscription(payload: unknown): BillingContent {
  const { data } = parsePayload(subscriptionUpdated, payload);
  return {
    kind: 'subscription',
    change: {
      accountEmail: data.email,
      plan: data.plan,
      status: data.status,
      periodStartMs: data.current_period_start,
      periodEndMs: data.current_period_end,
      cancelAtPeriodEnd: data.cancel_at_period_end,
    },
  };
}
