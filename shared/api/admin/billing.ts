/** Billing provider events, as staff see them. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { listQuery, pageFields } from './fields.ts';

export const billingEventStates = ['applied', 'outdated', 'ignored', 'dead_letter'] as const;
export const billingProviders = ['webhook', 'stripe', 'lemonsqueezy'] as const;

/** Newest first. `search` is a prefix of the email. */
export const billingEventsQuery = listQuery.extend({
  state: z.enum(billingEventStates, `must be ${billingEventStates.join(', ')}`).optional(),
  provider: z.enum(billingProviders, `must be ${billingProviders.join(', ')}`).optional(),
});

export const billingEvent = z.object({
  id: z.string(),
  provider: z.enum(billingProviders),
  /** The provider's event id. */
  event_id: z.string(),
  type: z.string(),
  /**
   * `outdated`: older than an event already applied. `ignored`: nothing to apply, or dismissed by staff. `dead_letter`:
   * could not be applied (see `reason`) and can be retried.
   */
  state: z.enum(billingEventStates),
  reason: z.string().nullable(),
  email: z.string().nullable(),
  /** Time of the event, according to the provider. */
  event_at: timestamp,
  received_at: timestamp,
  /** Event body while it is kept; null for viewers. */
  payload: z.unknown(),
});
export type BillingEventRecord = z.infer<typeof billingEvent>;

export const billingEventList = z.object({ billing_events: z.array(billingEvent), ...pageFields });
