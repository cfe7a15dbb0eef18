/** Accounts, as staff see and change them. */
import { z } from 'zod';
import { nameText, timestamp } from '../fields.ts';
import { staffRole } from '../staff-role.ts';
import { subscription, subscriptionStatuses } from '../subscription.ts';
import { dateField, listQuery, pageFields, planName } from './fields.ts';
import { licenseRow } from './licenses.ts';

/** `search` is the beginning of an email address; the list is then in the order of the addresses, else newest first. */
export const accountsQuery = listQuery.extend({
  /** Of the subscription, as of now; `none` for accounts without one. */
  status: z.enum([...subscriptionStatuses, 'none'], 'must be the status of a subscription, or none').optional(),
  /** Of the subscription. */
  plan: planName.optional(),
});

/** Of an account: whether somebody has proved to read the mail of its address. */
const emailConfirmation = {
  /** Since when that, or that an admin created or imported the account, is known; null: it is not. */
  email_confirmed_at: timestamp.nullable(),
  /**
   * Whether somebody else may have signed up with the address: the account has a password, and the server sends mail, so that
   * the address could have been confirmed.
   */
  email_confirmation_missing: z.boolean(),
};

export const accountRow = z.object({
  id: z.string(),
  email: z.string(),
  full_name: z.string(),
  created_at: timestamp,
  ...emailConfirmation,
  /** Of the subscription; null without one. */
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
  /** Whether it gives access now. */
  gives_access: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});

/** Where a subscription is: the account's own, which staff, a trial or the billing webhook has set, or at a provider. */
export const subscriptionSource = z.enum(['account', 'stripe', 'lemonsqueezy']);

/** A subscription that does not count now, since another one is better. */
export const otherSubscription = subscriptionRecord.extend({
  source: subscriptionSource,
  /** Whether staff have set another one in its place; it counts again from its next event on. */
  is_replaced: z.boolean(),
});

export const apiKeyRecord = z.object({
  id: z.string(),
  user_id: z.string(),
  api_key_prefix: z.string(),
  is_legacy: z.boolean(),
  created_at: timestamp,
  /** Of a legacy key: until when it is valid whatever the subscription. */
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
});

export const accountSession = z.object({
  id: z.string(),
  created_at: timestamp,
  last_used_at: timestamp,
  expires_at: timestamp,
  /** Of the app or browser that signed in; empty if it sent none, or signed in before the server noted it. */
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
  /** Where the account is staff. */
  role: staffRole.nullable(),
  /** The one that counts. */
  subscription: subscriptionRecord.nullable(),
  other_subscriptions: z.array(otherSubscription),
  /** The newest ones, at most 10; the list of licenses has all of them, by `account`. */
  licenses: z.array(licenseRow),
  /** Of all licenses. */
  license_totals: z.object({
    licenses: z.int().nonnegative(),
    /** Devices on which they are activated. */
    devices: z.int().nonnegative(),
    /** Those of licenses that depend on the subscription. */
    devices_with_subscription: z.int().nonnegative(),
  }),
  /** The current one. */
  api_key: apiKeyRecord.nullable(),
  /** Those that have not ended, newest first. */
  sessions: z.array(accountSession),
});
export type AccountRecordForStaff = z.infer<typeof accountRecord>;

/** Without a password, the account has none until one is set. */
export const createAccountRequest = z.object({
  email: z.string(),
  full_name: nameText.default(''),
  password: z.string().optional(),
});

/** An account that exists and has no password gets a new link in place of the one before. */
export const inviteAccountRequest = z.object({
  email: z.string(),
  /** An account that exists keeps its name without one. */
  full_name: nameText.optional(),
  /** Sets the subscription: active, 30 days. */
  plan: planName.optional(),
  /** Whether to mail the link as well. */
  send: z.boolean().default(false),
});

/** The only time that the link is shown. */
export const invitedAccount = z.object({
  user: z.object({ id: z.string(), email: z.string(), full_name: z.string(), created_at: timestamp }),
  link: z.string(),
});

/** The link as it was shown. */
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
});
