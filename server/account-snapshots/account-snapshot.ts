/** What is known about an account at one moment: everything that the entitlement rules need, except the time. */
import type { Tables } from '../database/tables.ts';

export type SubscriptionSnapshot = Pick<
  Tables['subscriptions'],
  | 'id'
  | 'by_typed_email'
  | 'plan'
  | 'status'
  | 'current_period_start_ms'
  | 'current_period_end_ms'
  | 'cancel_at_period_end'
>;

/** `leaseEndMs`: when the latest lease of the device ends; null if it never had one. */
export type ActivationSnapshot = {
  readonly id: string;
  readonly deviceId: string;
  /**
   * Changed in place when a use of the device is recorded: it affects nobody's rights, so the cached snapshot need not
   * be dropped.
   */
  lastSeenAtMs: number;
  readonly leaseEndMs: number | null;
};

/** A released device. It keeps its place until its latest lease ends, if it ever had one. */
export type ReleaseSnapshot = {
  readonly deviceId: string;
  readonly releasedAtMs: number;
  readonly leaseEndMs: number | null;
};

export type LicenseSnapshot = Pick<
  Tables['licenses'],
  | 'id'
  | 'user_id'
  | 'key_hash'
  | 'key_preview'
  | 'plan'
  | 'status'
  | 'max_activations'
  | 'expires_at_ms'
  | 'updates_until_ms'
  | 'with_subscription'
  | 'created_at_ms'
> & {
  /** Devices that are active on it. */
  readonly active: readonly ActivationSnapshot[];
  /** Devices that were released within the last month, or may keep their place. */
  readonly released: readonly ReleaseSnapshot[];
};

export type AccountSnapshot = {
  readonly userId: string;
  readonly passwordChangedAtMs: number;
  /** Subscriptions that count; `chooseSubscription` decides which one is in force. */
  readonly subscriptions: readonly SubscriptionSnapshot[];
  /** Newest first. */
  readonly licenses: readonly LicenseSnapshot[];
  /** Sessions that were found to be active since the snapshot was loaded. */
  readonly sessions: Set<string>;
};

/** What an account, or somebody without one, has bought. */
export type Purchases = Pick<AccountSnapshot, 'subscriptions' | 'licenses'>;

/** What the validation of an API key depends on. */
export type ApiKeySnapshot = Pick<Tables['api_keys'], 'is_legacy' | 'legacy_expires_at_ms'> & {
  readonly userId: string;
  readonly subscriptions: readonly Pick<
    SubscriptionSnapshot,
    'id' | 'by_typed_email' | 'plan' | 'status' | 'current_period_end_ms'
  >[];
};
