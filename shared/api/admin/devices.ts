/** Devices with an activated license, as staff see them. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { activation } from '../license.ts';
import { listQuery, pageFields } from './fields.ts';

/**
 * `search` is a prefix of a device id (`HW-…`), a device name or, if it contains @, the owner's email address. Most
 * recently activated first; with `search`, sorted by the matched column.
 */
export const devicesQuery = listQuery.extend({
  activity: z.enum(['active', 'idle', 'stale'], 'must be active, idle or stale').optional(),
});

/** `several_installations_at`: last simultaneous use by several installations, if within the last 7 days. */
export const licensedDevice = activation.extend({ several_installations_at: timestamp.optional() });
export type LicensedDevice = z.infer<typeof licensedDevice>;

const deviceRow = licensedDevice.extend({
  license_id: z.string(),
  /** Owner of the license; null if it has none. */
  user_id: z.string().nullable(),
  email: z.string().nullable(),
});
export type DeviceRow = z.infer<typeof deviceRow>;

export const deviceList = z.object({ devices: z.array(deviceRow), ...pageFields });
