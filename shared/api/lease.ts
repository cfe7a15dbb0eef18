/** Messages of `/license/lease`; what a lease itself says is in `shared/lease.ts`. */
import { z } from 'zod';
import { publicKeys } from '../jws.ts';
import { deviceId, timestamp } from './fields.ts';
import { activateLicenseRequest } from './license.ts';

/** Where a server publishes the public keys of its leases, below its address and not below `apiRoot`. */
export const leaseKeysPath = '/.well-known/jwks.json';

/** The response at `leaseKeysPath`. */
export const leaseKeysResponse = publicKeys;

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
