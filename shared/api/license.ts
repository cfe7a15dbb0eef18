/** Messages of the license endpoints, `/license/*`. */
import { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import { features } from './features.ts';
import { deviceId, nameText, openText, timestamp } from './fields.ts';

export const validateLicenseRequest = z.object({
  license_key: z.string(),
  device_id: deviceId,
});
export type ValidateLicenseRequest = z.infer<typeof validateLicenseRequest>;

/** The features in the response of `/license/validate`. */
const licenseFeatures = features.pick({
  real_time_visualization: true,
  osc_lsl_streaming: true,
  csv_export: true,
  api_access: true,
  max_devices: true,
});
export type LicenseFeatures = z.infer<typeof licenseFeatures>;

const validLicense = z.object({
  valid: z.literal(true),
  plan: z.string(),
  /** Always `active`: a license of any other status is not valid. */
  status: openText(['active']),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
  can_activate: z.boolean(),
  already_activated_on_device: z.boolean(),
  features: licenseFeatures,
});
export type ValidLicense = z.infer<typeof validLicense>;

/** Why our server finds a license key not valid, in the order in which it decides. */
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

/** `replaces` is an extension: an activation of the same license that is released in the same transaction. */
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

/** What the message of an activation or of MAX_ACTIVATIONS_REACHED may say: how many more new devices are allowed. */
export type DeviceAllowance = {
  /** How many more devices the license may be used on that it was not used on lately. */
  readonly remaining: number;
  /** The first day (UTC) that begins with one more, in milliseconds since 1970. */
  readonly untilMs: number;
};

const allowancePattern =
  /license can(?:not be used on another new device| be used on (\d{1,6}) more new devices?) until (\d{1,2} [A-Z][a-z]+ \d{4})\./;

/** "This license can be used on 1 more new device until 3 December 2026." */
export function describeDeviceAllowance({ remaining, untilMs }: DeviceAllowance): string {
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(untilMs);
  if (remaining === 0) return `This license cannot be used on another new device until ${day}.`;
  return `This license can be used on ${remaining} more new ${remaining === 1 ? 'device' : 'devices'} until ${day}.`;
}

/** The allowance that a message of the server contains; `undefined` if it says nothing about it. */
export function readDeviceAllowance(message: string): DeviceAllowance | undefined {
  const [, remaining = '0', day = ''] = allowancePattern.exec(message) ?? [];
  const untilMs = Date.parse(`${day} UTC`);
  return Number.isNaN(untilMs) ? undefined : { remaining: Number(remaining), untilMs };
}

/** Whether a device was seen lately: `idle` after 7 days without activity, `stale` after 30. */
const deviceActivity = z.enum(['active', 'idle', 'stale']);
export type DeviceActivity = z.infer<typeof deviceActivity>;

export const activation = z.object({
  activation_id: z.string().min(1),
  /** The key preview of the license that the device is activated on. */
  key_preview: z.string(),
  device_id: z.string(),
  device_name: z.string(),
  platform: z.string(),
  activated_at: timestamp,
  last_seen_at: timestamp,
  activity: deviceActivity,
});
export type Activation = z.infer<typeof activation>;

/** Extension: the devices of all licenses of the user, least recently seen first. */
export const activationsResponse = z.object({ activations: z.array(activation) });

/** Extension: the activations of the license after the release. */
export const releaseResponse = z.object({
  success: z.literal(true),
  activations: z.int().nonnegative(),
  max_activations: z.int().nonnegative(),
});
export type ReleaseResponse = z.infer<typeof releaseResponse>;
