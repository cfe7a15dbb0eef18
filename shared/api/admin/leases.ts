/** Leases that staff sign for devices that are never online. */
import { z } from 'zod';
import { leaseRequestFile } from '../lease.ts';

/** `request`: content of the device's file. `email`: account that receives a license without an owner. */
export const signLeaseRequest = z.object({ request: leaseRequestFile, email: z.string().optional() });
