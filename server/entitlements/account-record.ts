/** The cached data of an account: everything that the rules of frequent requests need, except the time. */
import type { Tables } from '../database/tables.ts';

export type SubscriptionRecord = Pick<
  Tables['subscriptions'],
  'id' | 'plan' | 'status' | 'current_period_start_ms' | 'current_period_end_ms' | 'cancel_at_period_end'
>;

export type ActivationRecord = { readonly id: string; readonly deviceId: string; lastSeenAtMs: number };

/** `leaseEndMs`: when the latest lease of the device ends, until when it keeps its place. */
export type ReleaseRecord = {
  readonly deviceId: string;
  readonly releasedAtMs: number;
  readonly leaseEndMs: number | null;
};

export type LicenseRecord = Pick<
  Tables['licenses'],
  | 'id'
  | 'key_hash'
  | 'key_preview'
  | 'plan'
  | 'status'
  | 'max_activations'
  | 'expires_at_ms'
  | 'with_subscription'
  | 'created_at_ms'
> & {
  /** The devices that are active on it. */
  readonly active: readonly ActivationRecord[];
  /** The devices that were released after `AccountRecord.releasesSinceMs`, or may keep their place. */
  readonly released: readonly ReleaseRecord[];
};

/** What requests with a Bearer token are decided by. */
export type AccountRecord = {
  readonly userId: string;
  readonly passwordChangedAtMs: number;
  /** Those that count: `chooseSubscription` says which is in force. */
  readonly subscriptions: readonly SubscriptionRecord[];
  /** Newest first; `undefined` for an account with too many licenses or devices to cache. */
  readonly licenses: readonly LicenseRecord[] | undefined;
  /** All releases of devices after this time are in `licenses`. */
  readonly releasesSinceMs: number;
  /** The sessions that were found to be active since the record was loaded. */
  readonly sessions: Set<string>;
};

/** What the validation of an API key is decided by. */
export type CachedApiKey = Pick<Tables['api_keys'], 'is_legacy' | 'legacy_expires_at_ms'> & {
  readonly subscriptions: readonly Pick<SubscriptionRecord, 'id' | 'plan' | 'status' | 'current_period_end_ms'>[];
};

/** The same, with the account that it belongs to. */
export type ApiKeyRecord = CachedApiKey & { readonly userId: string };
