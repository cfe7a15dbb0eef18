/** Webhook endpoints and their deliveries, as staff see them. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { listQuery, pageFields } from './fields.ts';

export const webhookEventTypes = [
  'account.created',
  'account.deleted',
  'license.issued',
  'license.activated',
  'license.released',
  'license.suspended',
  'license.reinstated',
  'license.revoked',
  'license.expiring',
  'license.expired',
  'license.key_replaced',
  'subscription.changed',
  'subscription.expiring',
  'api_key.regenerated',
  'device.suspicious',
  'plan.changed',
  'installer.published',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

export const webhookEndpoint = z.object({
  id: z.string(),
  /** Only owners see more than its origin. */
  url: z.string(),
  events: z.array(z.enum(webhookEventTypes)),
  created_at: timestamp,
  /** Since then it receives no events. */
  disabled_at: timestamp.nullable(),
  disabled_reason: z.string().nullable(),
  /** Deliveries that await their first or next attempt. */
  waiting: z.int().nonnegative(),
});
export type WebhookEndpoint = z.infer<typeof webhookEndpoint>;

const endpointStatuses = ['enabled', 'disabled'] as const;

/** Oldest first, at most 50. `search` is a prefix of a URL or its host. */
export const webhooksQuery = listQuery.extend({
  status: z.enum(endpointStatuses, `must be ${endpointStatuses.join(' or ')}`).optional(),
});

export const webhookList = z.object({ webhooks: z.array(webhookEndpoint), ...pageFields });

export const addWebhookRequest = z.object({
  url: z.string(),
  /** If omitted or empty: every type, including those of later versions. */
  events: z
    .array(z.enum(webhookEventTypes, `must be one of ${webhookEventTypes.join(', ')}`))
    .max(webhookEventTypes.length, 'must have each type once at most')
    .default([]),
});

/** `secret` (`whsec_…`) is shown only once. */
export const addedWebhook = webhookEndpoint.extend({
  secret: z.string(),
  /** Whether events are currently not sent: the host is private, and no setting allows that. */
  is_blocked: z.boolean(),
});
export type AddedWebhook = z.infer<typeof addedWebhook>;

const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** Newest first. `search` is a prefix of an event id. */
export const deliveriesQuery = listQuery.extend({
  state: z.enum(deliveryStates, `must be ${deliveryStates.join(', ')}`).optional(),
  type: z.enum(webhookEventTypes, `must be one of ${webhookEventTypes.join(', ')}`).optional(),
});

export const delivery = z.object({
  id: z.string(),
  endpoint_id: z.string(),
  /** Sent to the receiver as `webhook-id`. */
  event_id: z.string(),
  type: z.string(),
  /** The account that the event is about, and its email at that time; null for none. */
  account_id: z.string().nullable(),
  email: z.string().nullable(),
  created_at: timestamp,
  state: z.enum(deliveryStates),
  attempts: z.int().nonnegative(),
  last_attempt_at: timestamp.nullable(),
  /** Null once finished. */
  next_attempt_at: timestamp.nullable(),
  /** HTTP status of the last response. */
  response_status: z.int().nullable(),
  /** Why the last attempt got no response, or why there are no more attempts. */
  error: z.string().nullable(),
});
export type Delivery = z.infer<typeof delivery>;

export const deliveryList = z.object({ deliveries: z.array(delivery), ...pageFields });
