/** Devices on which licenses are activated, as staff see them. */
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { activation } from '../license.ts';
import { listQuery, pageFields } from './fields.ts';

/**
 * `search` is the beginning of a device id (`HW-…`), of a device name, or, where it contains @, of the owner's email
 * address. Last activated first; a search is in the order of what it searches.
 */
export const devicesQuery = listQuery.extend({
  activity: z.enum(['active', 'idle', 'stale'], 'must be active, idle or stale').optional(),
});

/** `several_installations_at`: when several installations last used it at a time, where that was in the last 7 days. */
export const licensedDevice = activation.extend({ several_installations_at: timestamp.optional() });
export type LicensedDevice = z.infer<typeof licensedDevice>;

export const deviceRow = licensedDevice.extend({
  license_id: z.string(),
  /** The owner of the license; null where it has none. */
  user_id: z.string().nullable(),
  email: z.string().nullable(),
});
export type DeviceRow = z.infer<typeof deviceRow>;

export const deviceList = z.object({ devices: z.array(deviceRow), ...pageFields });
