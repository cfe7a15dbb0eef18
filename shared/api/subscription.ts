/** Response of `/subscription/status` and its resources. */
import { z } from 'zod';
import { features } from './features.ts';
import { alwaysSent, openText, timestamp } from './fields.ts';

/** Statuses of our server; another one may have others. */
export const subscriptionStatuses = ['trialing', 'active', 'past_due', 'canceled', 'expired'] as const;
export const licenseStatuses = ['active', 'inactive', 'revoked', 'expired'] as const;

export const subscription = z.object({
  plan: z.string(),
  status: openText(subscriptionStatuses),
  current_period_start: timestamp,
  current_period_end: timestamp,
  cancel_at_period_end: z.boolean(),
});
export type Subscription = z.infer<typeof subscription>;

export const license = z.object({
  key_preview: z.string(),
  plan: z.string(),
  status: openText(licenseStatuses),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
});
export type License = z.infer<typeof license>;

/** Our server always sends all four fields; others may omit some without a subscription. */
export const subscriptionStatusResponse = z.discriminatedUnion('has_subscription', [
  z.object({
    has_subscription: z.literal(true),
    subscription,
    license: license.nullable(),
    features,
  }),
  z.object({
    has_subscription: z.literal(false),
    subscription: alwaysSent(z.null()),
    license: alwaysSent(license.nullable()),
    features: alwaysSent(features),
  }),
]);
export type SubscriptionStatusResponse = z.infer<typeof subscriptionStatusResponse>;
