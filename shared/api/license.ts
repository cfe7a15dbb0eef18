/** Messages of the license endpoints, `/license/*`. */
import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { licenseFeatures } from './features.ts';
import { deviceId, nameText, openText, timestamp } from './fields.ts';
import { license } from './subscription.ts';

export const validateLicenseRequest = z.object({
  license_key: z.string(),
  device_id: deviceId,
});
export type ValidateLicenseRequest = z.infer<typeof validateLicenseRequest>;

const validLicense = z.object({
  valid: z.literal(true),
  plan: z.string(),
  /** Always `active`: a license with any other status is not valid. */
  status: openText(['active']),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
  can_activate: z.boolean(),
  already_activated_on_device: z.boolean(),
  features: licenseFeatures,
});
export type ValidLicense = z.infer<typeof validLicense>;

/** Why our server rejects a license key, in the order of the checks. */
export const invalidLicenseCodes = [
  'LICENSE_NOT_FOUND',
  'LICENSE_REVOKED',
  'LICENSE_EXPIRED',
  'LICENSE_INACTIVE',
  'SUBSCRIPTION_INACTIVE',
] as const satisfies readonly ErrorCode[];

const invalidLicense = z.object({
  valid: z.literal(false),
  error: z.string(),
  code: openText(invalidLicenseCodes),
});
export type InvalidLicense = z.infer<typeof invalidLicense>;

export const validateLicenseResponse = z.discriminatedUnion('valid', [validLicense, invalidLicense]);
export type ValidateLicenseResponse = z.infer<typeof validateLicenseResponse>;

/** `replaces` (extension): an activation of the same license to release in the same transaction. */
export const activateLicenseRequest = z.object({
  license_key: z.string(),
  device_id: deviceId,
  device_name: nameText.default(''),
  platform: nameText.default(''),
  replaces: z.string().optional(),
});

export const activateLicenseResponse = z.object({
  success: z.literal(true),
  activation_id: z.string().min(1),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
  message: z.string(),
});
export type ActivateLicenseResponse = z.infer<typeof activateLicenseResponse>;

/** How recently a device was seen: `idle` after 7 days without activity, `stale` after 30. */
const deviceActivity = z.enum(['active', 'idle', 'stale']);
export type DeviceActivity = z.infer<typeof deviceActivity>;

export const activation = z.object({
  activation_id: z.string().min(1),
  /** Key preview of the activated license. */
  key_preview: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  platform: z.string(),
  activated_at: timestamp,
  last_seen_at: timestamp,
  activity: deviceActivity,
});
export type Activation = z.infer<typeof activation>;

/** A released device that may still work offline on its lease; its place on the license is free at `place_free_at`. */
export const releasedDevice = activation
  .pick({ activation_id: true, key_preview: true, device_id: true, device_name: true, platform: true })
  .extend({ released_at: timestamp, place_free_at: timestamp });
export type ReleasedDevice = z.infer<typeof releasedDevice>;

/** How many more devices not used within the last 30 days a license may be used on; one more from `until` on. */
const newDevices = z.object({ key_preview: z.string(), remaining: z.int().nonnegative(), until: timestamp });
export type NewDevices = z.infer<typeof newDevices>;

/**
 * Extension: devices of all the user's licenses, least recently seen first. `released_devices`, omitted if empty: those
 * that still keep their place, next to be free first. `new_devices`, omitted if empty: licenses that may be used on at
 * most one more new device.
 */
export const activationsResponse = z.object({
  activations: z.array(activation),
  released_devices: z.array(releasedDevice).optional(),
  new_devices: z.array(newDevices).optional(),
});
export type ActivationsResponse = z.infer<typeof activationsResponse>;

/** Extension: places of the license in use after the release, including the released device's if it keeps it. */
export const releaseResponse = z.object({
  success: z.literal(true),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
});
export type ReleaseResponse = z.infer<typeof releaseResponse>;

/** `license_id`: a license of the account; defaults to the one of `/subscription/status`. */
export const replaceKeyRequest = z.object({ password: z.string(), license_id: z.string().optional() });

/** Extension: the license's new key, shown only once. */
export const replaceKeyResponse = z.object({ license_key: z.string().min(1), license });
