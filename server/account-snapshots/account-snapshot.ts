/** What is known about an account at one moment: everything that the entitlement rules need, except the time. */
import type { Tables } from '../database/tables.ts';

/** The columns of a subscription that decide about an API key. */
export const accessColumns = [
  'subscriptions.id',
  'subscriptions.by_typed_email',
  'subscriptions.plan',
  'subscriptions.status',
  'subscriptions.current_period_end_ms',
] as const;

export const subscriptionColumns = [
  ...accessColumns,
  'subscriptions.current_period_start_ms',
  'subscriptions.cancel_at_period_end',
] as const;

export const licenseColumns = [
  'licenses.id',
  'licenses.user_id',
  'licenses.key_hash',
  'licenses.key_preview',
  'licenses.plan',
  'licenses.status',
  'licenses.max_activations',
  'licenses.expires_at_ms',
  'licenses.updates_until_ms',
  'licenses.with_subscription',
  'licenses.created_at_ms',
] as const;

/** The columns of a table with these names, each after the name of the table. */
export type Columns<Table extends keyof Tables, Names extends readonly string[]> = {
  readonly [Name in keyof Tables[Table] as `${Table}.${Name & string}` extends Names[number]
    ? Name
    : never]: Tables[Table][Name];
};

export type SubscriptionSnapshot = Columns<'subscriptions', typeof subscriptionColumns>;

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

export type LicenseSnapshot = Columns<'licenses', typeof licenseColumns> & {
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
  readonly subscriptions: readonly Columns<'subscriptions', typeof accessColumns>[];
};
