/** The events of billing providers, as staff see them. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { listQuery, pageFields } from './fields.ts';

const billingEventStates = ['applied', 'outdated', 'ignored', 'dead_letter'] as const;
const billingProviders = ['webhook', 'stripe', 'lemonsqueezy'] as const;

/** Newest first. `search` is the beginning of the email. */
export const billingEventsQuery = listQuery.extend({
  state: z.enum(billingEventStates, `must be ${billingEventStates.join(', ')}`).optional(),
  provider: z.enum(billingProviders, `must be ${billingProviders.join(', ')}`).optional(),
});

export const billingEvent = z.object({
  id: z.string(),
  provider: z.enum(billingProviders),
  /** The provider's id of it. */
  event_id: z.string(),
  type: z.string(),
  /**
   * `outdated`: older than one that was applied. `replaced`: of a subscription that another one has taken the place of.
   * `ignored`: there was nothing to apply, or staff dismissed it. `dead_letter`: it could not be applied, `reason` says why, and
   * it can be tried again.
   */
  state: z.enum(billingEventStates),
  reason: z.string().nullable(),
  email: z.string().nullable(),
  /** When it happened, as the provider says. */
  event_at: timestamp,
  received_at: timestamp,
  /** The body, while the event is kept; null for a viewer. */
  payload: z.unknown(),
});
export type BillingEventRecord = z.infer<typeof billingEvent>;

export const billingEventList = z.object({ billing_events: z.array(billingEvent), ...pageFields });
