/** Messages of `/heartbeat`. */
import { z } from 'zod';
import { deviceId, timestamp } from './fields.ts';

/**
 * `instance` (extension) is a random value that the app makes at each start and keeps in memory: by it the server notices
 * that several installations use one device id, as copies of a virtual machine do. A server that does not know it ignores it.
 */
export const heartbeatRequest = z.object({
  device_id: deviceId,
  instance: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
    .optional(),
});

/** `warning` is a message for the user, present when the activity of the device is unusual. */
export const heartbeatResponse = z.object({
  success: z.literal(true),
  timestamp,
  warning: z.string().optional(),
});
export type HeartbeatResponse = z.infer<typeof heartbeatResponse>;
