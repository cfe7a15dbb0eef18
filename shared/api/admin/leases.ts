/** Leases of devices that are never online, as staff sign them. */
import { z } from 'zod';
import { leaseRequestFile } from '../lease.ts';

/** `request` is the content of the device's file. `email`: the account that gets a license without an owner. */
export const signLeaseRequest = z.object({ request: leaseRequestFile, email: z.string().optional() });
