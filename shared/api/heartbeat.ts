/** Messages of `/heartbeat`. */
import { z } from 'zod';
import { deviceId, timestamp } from './fields.ts';

export const heartbeatRequest = z.object({ device_id: deviceId });

/** `warning` is a message for the user, present when the activity of the device is unusual. */
export const heartbeatResponse = z.object({
  success: z.literal(true),
  timestamp,
  warning: z.string().optional(),
});
export type HeartbeatResponse = z.infer<typeof heartbeatResponse>;
