/** Messages of `/license/lease`; what a lease itself says is in `shared/lease.ts`. */
import { z } from 'zod';
import { deviceId, timestamp } from './fields.ts';
import { activateLicenseRequest } from './license.ts';

export const leaseRequest = z.object({ device_id: deviceId });

export const leaseResponse = z.object({
  /** A compact JWS. */
  lease: z.string(),
  renew_after: timestamp,
  expires_at: timestamp,
});
export type LeaseResponse = z.infer<typeof leaseResponse>;

/** The content of the file in which a device that is never online asks for a lease. */
export const leaseRequestFile = activateLicenseRequest.omit({ replaces: true });
export type LeaseRequestFile = z.output<typeof leaseRequestFile>;
