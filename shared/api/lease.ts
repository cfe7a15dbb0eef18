/** Messages of `/license/lease`; the lease itself is described in `shared/lease.ts`. */
import { z } from 'zod';
import { publicKeys } from '../jws.ts';
import { deviceId, timestamp } from './fields.ts';
import { activateLicenseRequest } from './license.ts';

/** The public lease keys (RFC 7517, section 5), at the address of the server. Keys of another kind are ignored. */
export const leaseKeysEndpoint = {
  summary: 'The public keys of leases',
  method: 'GET',
  path: '/.well-known/jwks.json',
  auth: 'none',
  rate: 'default',
  response: publicKeys,
  errors: [],
  extension: true,
} as const;

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
