/** Messages of `/heartbeat`. */
import { z } from 'zod';
import { deviceId, timestamp } from './fields.ts';

/**
 * `instance` (extension): a random value that the app creates at each start and keeps in memory. It reveals that
 * several installations use one device id, as copies of a virtual machine do. Servers that do not know it ignore it.
 */
export const heartbeatRequest = z.object({
  device_id: deviceId,
  instance: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
    .optional(),
});

/** `warning`: a message for the user, sent when the device's activity is unusual. */
export const heartbeatResponse = z.object({
  success: z.literal(true),
  timestamp,
  warning: z.string().optional(),
});
export type HeartbeatResponse = z.infer<typeof heartbeatResponse>;
