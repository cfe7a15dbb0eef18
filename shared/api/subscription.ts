/** The response of `/subscription/status` and the resources in it. */
import { z } from 'zod';
import { features } from './features.ts';
import { timestamp } from './fields.ts';

export const subscription = z.object({
  plan: z.string(),
  status: z.string(),
  current_period_start: timestamp,
  current_period_end: timestamp,
  cancel_at_period_end: z.boolean(),
});
export type Subscription = z.infer<typeof subscription>;

export const license = z.object({
  key_preview: z.string(),
  plan: z.string(),
  status: z.string(),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
});
export type License = z.infer<typeof license>;

/** Our server always sends all four fields; without a subscription, another may omit some. */
export const subscriptionStatusResponse = z.discriminatedUnion('has_subscription', [
  z.object({
    has_subscription: z.literal(true),
    subscription,
    license: license.nullable(),
    features,
  }),
  z.object({
    has_subscription: z.literal(false),
    subscription: z.null().optional(),
    license: license.nullable().optional(),
    features: features.optional(),
  }),
]);
export type SubscriptionStatusResponse = z.infer<typeof subscriptionStatusResponse>;
