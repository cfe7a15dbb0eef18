/** Accounts, as staff see and change them. */
import { z } from 'zod';
import { features } from '../features.ts';
import { nameText, timestamp } from '../fields.ts';
import { staffRole } from '../staff-role.ts';
import { subscription, subscriptionStatuses } from '../subscription.ts';
import { dateField, listQuery, pageFields, planName } from './fields.ts';
import { licenseRow } from './licenses.ts';

/** `search` is a prefix of an email address and sorts by address; without it, newest first. */
export const accountsQuery = listQuery.extend({
  /** Current subscription status; `none` for accounts without one. */
  status: z.enum([...subscriptionStatuses, 'none'], 'must be the status of a subscription, or none').optional(),
  /** Plan of the subscription. */
  plan: planName.optional(),
});

/** Whether someone has proved access to the account's mailbox. */
const emailConfirmation = {
  /** When it was proved, or an admin created or imported the account; null if neither. */
  email_confirmed_at: timestamp.nullable(),
  /**
   * Whether someone else may have signed up with the address: the account has a password, and the server sends mail, so
   * the address could have been confirmed.
   */
  email_confirmation_missing: z.boolean(),
};

const accountRow = z.object({
  id: z.string(),
  email: z.string(),
  full_name: z.string(),
  created_at: timestamp,
  ...emailConfirmation,
  /** Plan of the subscription; null without one. */
  plan: z.string().nullable(),
  status: z.string().nullable(),
  current_period_end: timestamp.nullable(),
  licenses: z.int().nonnegative(),
  /** Devices on which these licenses are activated. */
  devices: z.int().nonnegative(),
});
export type AccountRow = z.infer<typeof accountRow>;

export const accountList = z.object({ accounts: z.array(accountRow), ...pageFields });

export const subscriptionRecord = subscription.extend({
  id: z.string(),
  /** Whether it grants access now. */
  gives_access: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

/** Where a subscription comes from: the account itself (set by staff, a trial or the billing webhook) or a provider. */
const subscriptionSource = z.enum(['account', 'stripe', 'lemonsqueezy']);

/** A subscription not in effect, because another one is better. */
export const otherSubscription = subscriptionRecord.extend({
  source: subscriptionSource,
  /** Whether staff replaced it; it is considered again after its next event. */
  is_replaced: z.boolean(),
});
export type OtherSubscription = z.infer<typeof otherSubscription>;

export const apiKeyRecord = z.object({
  id: z.string(),
  user_id: z.string(),
  api_key_prefix: z.string(),
  is_legacy: z.boolean(),
  created_at: timestamp,
  /** Until then, a legacy key is valid regardless of the subscription. */
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});
export type ApiKeyRecord = z.infer<typeof apiKeyRecord>;

/** What decides which plan is in force: a subscription comes before a license. */
const entitlementBasis = z.enum([
  'subscription',
  'subscription_without_access',
  'license',
  'unusable_license',
  'nothing',
]);
export type EntitlementBasis = z.infer<typeof entitlementBasis>;

/** What an account may use now. On a device, it also needs a license that is usable there. */
const entitlement = z.object({ plan: z.string(), decided_by: entitlementBasis, features });
export type Entitlement = z.infer<typeof entitlement>;

const accountSession = z.object({
  id: z.string(),
  created_at: timestamp,
  last_used_at: timestamp,
  expires_at: timestamp,
  /** User agent at sign-in; empty if none was sent, or for sessions older than this field. */
  user_agent: z.string(),
});

export const accountRecord = z.object({
  id: z.string(),
  email: z.string(),
  full_name: z.string(),
  created_at: timestamp,
  ...emailConfirmation,
  password_changed_at: timestamp,
  has_password: z.boolean(),
  /** Null if the account is not staff. */
  role: staffRole.nullable(),
  /** The one in effect. */
  subscription: subscriptionRecord.nullable(),
  other_subscriptions: z.array(otherSubscription),
  entitlement,
  /** The newest 10; the license list has all of them, by `account`. */
  licenses: z.array(licenseRow),
  /** Totals over all licenses. */
  license_totals: z.object({
    licenses: z.int().nonnegative(),
    /** Devices on which they are activated. */
    devices: z.int().nonnegative(),
    /** Devices on licenses that depend on the subscription. */
    devices_with_subscription: z.int().nonnegative(),
  }),
  /** The current key. */
  api_key: apiKeyRecord.nullable(),
  /** Active sessions, newest first. */
  sessions: z.array(accountSession),
});
export type AccountRecordForStaff = z.infer<typeof accountRecord>;

/** Without `password`, the account has none until one is set. */
export const createAccountRequest = z.object({
  email: z.string(),
  full_name: nameText.default(''),
  password: z.string().optional(),
});

/** An existing account without a password gets a new link that replaces the previous one. */
export const inviteAccountRequest = z.object({
  email: z.string(),
  /** If omitted, an existing account keeps its name. */
  full_name: nameText.optional(),
  /** Sets an active subscription for 30 days. */
  plan: planName.optional(),
  /** Also mails the link. */
  send: z.boolean().default(false),
});

/** The only response that contains the link. */
export const invitedAccount = z.object({
  user: z.object({ id: z.string(), email: z.string(), full_name: z.string(), created_at: timestamp }),
  link: z.string(),
});

/** The link exactly as shown. */
export const sendInvitationRequest = z.object({ link: z.string() });
export const sentInvitation = z.object({ sent_to: z.string() });

export const setPasswordRequest = z.object({ password: z.string() });

/** Replaces the subscription. */
export const setSubscriptionRequest = z.object({
  plan: planName,
  status: z.enum(subscriptionStatuses, `must be one of ${subscriptionStatuses.join(', ')}`).default('active'),
  /** 30 days from now by default; may be in the past. */
  current_period_end: dateField.optional(),
  cancel_at_period_end: z.boolean().default(false),
  /** `updated_at` of the subscription to replace, null for none; if another one is in effect by now: CONFLICT. */
  expected_updated_at: timestamp.nullable().optional(),
});
