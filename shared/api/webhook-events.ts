/** Schemas of webhook events by type, for receivers too. */
import { z } from 'zod';
import type { WebhookEventType } from './admin/webhooks.ts';
import { features } from './features.ts';
import { timestamp } from './fields.ts';
import { installerHashesResponse } from './installer.ts';
import { license as licenseShape, subscription as subscriptionShape } from './subscription.ts';

const { status: licenseStatus } = licenseShape.shape;
const { plan, status: subscriptionStatus } = subscriptionShape.shape;

/** Null for events without an account: licenses without an owner, plans, installers. */
const account = { account_id: z.string().nullable(), email: z.string().nullable() };

const license = { license_id: z.string(), key_preview: z.string(), plan: z.string() };
const device = { activation_id: z.string(), device_id: z.string() };
/** `days_left` is rounded up. */
const end = { ends_at: timestamp, days_left: z.int().nonnegative() };
const expiresAt = timestamp.nullable();

function event<T extends WebhookEventType, D extends z.ZodRawShape>(type: T, data: D) {
  return z.object({ type: z.literal(type), timestamp, data: z.object({ ...account, ...data }) });
}

export const webhookEvents = {
  'account.created': event('account.created', {}),
  'account.deleted': event('account.deleted', {}),
  'license.issued': event('license.issued', {
    ...license,
    status: licenseStatus,
    max_activations: z.int().nonnegative(),
    expires_at: expiresAt,
    with_subscription: z.boolean(),
  }),
  'license.activated': event('license.activated', {
    ...license,
    ...device,
    device_name: z.string(),
    platform: z.string(),
  }),
  'license.released': event('license.released', {
    license_id: license.license_id,
    key_preview: license.key_preview,
    ...device,
  }),
  'license.suspended': event('license.suspended', license),
  'license.reinstated': event('license.reinstated', { ...license, expires_at: expiresAt }),
  'license.revoked': event('license.revoked', license),
  /** `expires_at` is null or in the future if staff set the license to expired. */
  'license.expired': event('license.expired', { ...license, expires_at: expiresAt }),
  'license.expiring': event('license.expiring', { ...license, ...end }),
  'license.key_replaced': event('license.key_replaced', { ...license, key_preview_before: z.string() }),
  'subscription.changed': event('subscription.changed', {
    subscription_id: z.string(),
    ...subscriptionShape.shape,
  }),
  'subscription.expiring': event('subscription.expiring', {
    subscription_id: z.string(),
    plan,
    status: subscriptionStatus,
    ...end,
  }),
  'api_key.regenerated': event('api_key.regenerated', { api_key_id: z.string(), api_key_prefix: z.string() }),
  'device.suspicious': event('device.suspicious', { device_id: z.string(), warning: z.string() }),
  /** `added`: true for a new plan. */
  'plan.changed': event('plan.changed', {
    plan_id: z.string(),
    plan: z.string(),
    added: z.boolean(),
    new_devices_per_month: z.int().nonnegative(),
    lease_days: z.int().positive().nullable(),
    features,
  }),
  'installer.published': event('installer.published', installerHashesResponse.shape),
} as const satisfies Readonly<Record<WebhookEventType, z.ZodType>>;

/** An event of this type, as receivers get it. */
export type WebhookEventOf<T extends WebhookEventType> = z.infer<(typeof webhookEvents)[T]>;
