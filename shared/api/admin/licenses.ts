/** Licenses, as staff see and change them. */
import { z } from 'zod';
import { languages } from '../../ipc/language.ts';
import { timestamp } from '../fields.ts';
import { leaseRequestFile } from '../lease.ts';
import { releasedDevice } from '../license.ts';
import { license, licenseStatuses } from '../subscription.ts';
import { licensedDevice } from './devices.ts';
import { dateField, deviceCount, listQuery, pageFields, plainText, planName, queryNumber } from './fields.ts';
import { policyPreview } from './policy-preview.ts';

/**
 * `search` is a prefix of a key preview (`SVC-AB12...WXYZ`) or of the owner's email address. Given a whole key, the
 * page sends its preview, because a key must not appear in a URL. Newest first; with `search`, sorted by the matched
 * column.
 */
export const licensesQuery = listQuery.extend({
  /** Current status; `inactive` means suspended. */
  status: z.enum(licenseStatuses, `must be one of ${licenseStatuses.join(', ')}`).optional(),
  plan: planName.optional(),
  /** Only active licenses that expire within this number of days. */
  expires_within_days: queryNumber(3650).optional(),
  /** The owner's full email address. */
  account: plainText.max(254, 'must have at most 254 characters').optional(),
});

const licenseFields = license.extend({
  id: z.string(),
  user_id: z.string().nullable(),
  /** The owner's; null until an account activates it. */
  email: z.string().nullable(),
  expires_at: timestamp.nullable(),
  /** App versions released later are not included; null includes all. */
  updates_until: timestamp.nullable(),
  with_subscription: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const licenseRow = licenseFields;
export type ListedLicense = z.infer<typeof licenseRow>;

export const licenseList = z.object({ licenses: z.array(licenseRow), ...pageFields });

export const licenseRecord = licenseFields.extend({
  /** Active devices, least recently seen first. */
  devices: z.array(licensedDevice),
  /** Released devices that keep their place until their lease ends; omitted if none. */
  released_devices: z.array(releasedDevice).optional(),
});
export type LicenseRecord = z.infer<typeof licenseRecord>;

/** Response to a status change. */
export const licenseStatusResponse = z.union([licenseRecord, policyPreview]);

export const issueLicenseRequest = z.object({
  /** Its owner; if omitted, the first account to activate it. */
  email: z.string().optional(),
  /** Default: the plan of the owner's subscription, or `standard`. */
  plan: planName.optional(),
  /** Default: the device limit of the plan. */
  max_activations: deviceCount.optional(),
  /** If omitted, it never expires. */
  expires_at: dateField.optional(),
  /** If omitted, every version of the app is included. */
  updates_until: dateField.optional(),
  /** Usable only while the owner's subscription grants access; requires `email`. */
  with_subscription: z.boolean().default(false),
  /** Mails the key to the owner; requires `email` and a server that sends mail. */
  send: z.boolean().default(false),
  /** Language of the mail. */
  language: z.enum(languages).default('en'),
});

/** `license_key` comes from the response of `issueLicense`. `email` defaults to the owner's. */
export const sendLicenseRequest = z.object({
  license_key: z.string(),
  email: z.string().optional(),
  language: z.enum(languages).default('en'),
});

export const sentLicense = z.object({ sent_to: z.string() });

/** `send`: mail the new key to the owner, who is otherwise notified without it. */
export const replaceKeyOfRequest = z.object({
  send: z.boolean().default(false),
  language: z.enum(languages).default('en'),
});

/** The only response that contains the key. */
export const issuedLicense = z.object({ license_key: z.string(), license: licenseRecord });

export const setExpiryRequest = z.object({
  /** null: never expires. */
  expires_at: dateField.nullable(),
});

export const setUpdatesUntilRequest = z.object({
  /** null: includes every version of the app. */
  updates_until: dateField.nullable(),
});

export const setMaxActivationsRequest = z.object({ max_activations: deviceCount });

/**
 * Signs a lease for a device that is never online. `request`: content of the device's file. `email`: account that
 * receives a license without an owner.
 */
export const signLeaseRequest = z.object({ request: leaseRequestFile, email: z.string().optional() });
