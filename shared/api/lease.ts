/** Messages of `/license/lease`; the lease itself is described in `shared/lease.ts`. */
import { z } from 'zod';
import { publicKeys } from '../jws.ts';
import { deviceId, timestamp } from './fields.ts';
import { activateLicenseRequest } from './license.ts';

/** Path of a server's public lease keys, relative to its address, not to `apiRoot`. */
export const leaseKeysPath = '/.well-known/jwks.json';

/** Response at `leaseKeysPath`. */
export const leaseKeysResponse = publicKeys;

export const leaseRequest = z.object({ device_id: deviceId });

export const leaseResponse = z.object({
  /** A compact JWS. */
  lease: z.string(),
  renew_after: timestamp,
  expires_at: timestamp,
});
export type LeaseResponse = z.infer<typeof leaseResponse>;

/** Content of the file with which an offline device requests a lease. */
export const leaseRequestFile = activateLicenseRequest.omit({ replaces: true });
export type LeaseRequestFile = z.output<typeof leaseRequestFile>;
