/** Plans, as staff see and change them. */
import { z } from 'zod';
import { maxLeaseDays } from '../../formats/plan-fields.ts';
import { featureSwitches, features } from '../features.ts';
import { timestamp } from '../fields.ts';
import { deviceCount } from './fields.ts';
import { dryRunField, policyPreview } from './policy-preview.ts';

export const planRecord = z.object({
  id: z.string(),
  name: z.string(),
  max_devices: z.int().nonnegative(),
  /** On how many devices beyond its device limit a license of the plan may be used within 30 days. */
  new_devices_per_month: z.int().nonnegative(),
  /** How many days its leases last; null for as many as the server's setting says. */
  lease_days: z.int().positive().nullable(),
  features,
  created_at: timestamp,
  updated_at: timestamp,
});
export type PlanRecord = z.infer<typeof planRecord>;

/** Every plan, the one with the fewest devices first. */
export const planList = z.object({ plans: z.array(planRecord) });

/** Changes what is given. A plan that does not exist is added, with one device and no features except those given. */
export const setPlanRequest = z.object({
  max_devices: deviceCount.optional(),
  new_devices_per_month: deviceCount.optional(),
  lease_days: z.int().positive().max(maxLeaseDays).nullable().optional(),
  features: featureSwitches.default({}),
  ...dryRunField,
});

export const setPlanResponse = z.union([planRecord, policyPreview]);
