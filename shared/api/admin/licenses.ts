/** Licenses, as staff see and change them. */
import { z } from 'zod';
import { languages } from '../../ipc/language.ts';
import { timestamp } from '../fields.ts';
import { releasedDevice } from '../license.ts';
import { license, licenseStatuses } from '../subscription.ts';
import { licensedDevice } from './devices.ts';
import { dateField, deviceCount, listQuery, pageFields, plainText, planName } from './fields.ts';
import { policyPreview } from './policy-preview.ts';

/**
 * `search` is the beginning of a key preview (`SVC-AB12...WXYZ`) or of the owner's email address. A page that is given a
 * whole key sends its preview, because a key must not be in a URL. Newest first; a search is in the order of what it searches.
 */
export const licensesQuery = listQuery.extend({
  /** As of now; `inactive` is a suspended license. */
  status: z.enum(licenseStatuses, `must be one of ${licenseStatuses.join(', ')}`).optional(),
  plan: planName.optional(),
  /** The email address of the owner, all of it. */
  account: plainText.max(254, 'must have at most 254 characters').optional(),
});

const licenseFields = license.extend({
  id: z.string(),
  user_id: z.string().nullable(),
  /** Of its owner; null until an account activates it. */
  email: z.string().nullable(),
  expires_at: timestamp.nullable(),
  /** Versions of the app that were released later are not included; null: all are. */
  updates_until: timestamp.nullable(),
  with_subscription: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const licenseRow = licenseFields;
export type ListedLicense = z.infer<typeof licenseRow>;

export const licenseList = z.object({ licenses: z.array(licenseRow), ...pageFields });

export const licenseRecord = licenseFields.extend({
  /** The active ones, least recently seen first. */
  devices: z.array(licensedDevice),
  /** Released ones that keep their place until their lease ends; only where there are any. */
  released_devices: z.array(releasedDevice).optional(),
});
export type LicenseRecord = z.infer<typeof licenseRecord>;

/** Of a change of status. */
export const licenseStatusResponse = z.union([licenseRecord, policyPreview]);

export const issueLicenseRequest = z.object({
  /** Its owner; left out, it is for the first account that activates it. */
  email: z.string().optional(),
  /** Default: the plan of the owner's subscription, else `standard`. */
  plan: planName.optional(),
  /** Default: the device limit of the plan. */
  max_activations: deviceCount.optional(),
  /** Left out, it never expires. */
  expires_at: dateField.optional(),
  /** Left out, it includes every version of the app. */
  updates_until: dateField.optional(),
  /** Usable only while its owner's subscription gives access; requires `email`. */
  with_subscription: z.boolean().default(false),
  /** Mails the key to the owner; requires `email`, and a server that sends mail. */
  send: z.boolean().default(false),
  /** Of the mail. */
  language: z.enum(languages).default('en'),
});

/** `license_key` is what only the response of `issueLicense` has. Left out, `email` is the owner's. */
export const sendLicenseRequest = z.object({
  license_key: z.string(),
  email: z.string().optional(),
  language: z.enum(languages).default('en'),
});

export const sentLicense = z.object({ sent_to: z.string() });

/** `send`: mail the new key to the owner, who is told without it otherwise. */
export const replaceKeyOfRequest = z.object({
  send: z.boolean().default(false),
  language: z.enum(languages).default('en'),
});

/** The only response that contains the key. */
export const issuedLicense = z.object({ license_key: z.string(), license: licenseRecord });

export const setExpiryRequest = z.object({
  /** null: it never expires. */
  expires_at: dateField.nullable(),
});

export const setUpdatesUntilRequest = z.object({
  /** null: every version of the app. */
  updates_until: dateField.nullable(),
});

export const setMaxActivationsRequest = z.object({ max_activations: deviceCount });
