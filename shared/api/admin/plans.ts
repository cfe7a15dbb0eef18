/** Plans, as staff see and change them. */
import { z } from 'zod';
import { maxLeaseDays } from '../../formats/plan-fields.ts';
import { featureSwitches, features } from '../features.ts';
import { timestamp } from '../fields.ts';
import { deviceCount } from './fields.ts';
import { dryRunField, policyPreview } from './policy-preview.ts';

const planRecord = z.object({
  id: z.string(),
  name: z.string(),
  max_devices: z.int().nonnegative(),
  /** How many devices beyond its limit a license of the plan may be used on within 30 days. */
  new_devices_per_month: z.int().nonnegative(),
  /** Lease lifetime in days; null for the server's setting. */
  lease_days: z.int().positive().nullable(),
  features,
  created_at: timestamp,
  updated_at: timestamp,
});
export type PlanRecord = z.infer<typeof planRecord>;

/** All plans, fewest devices first. */
export const planList = z.object({ plans: z.array(planRecord) });

/** Changes only the given fields. A plan that does not exist is added, with one device and only the given features. */
export const setPlanRequest = z.object({
  max_devices: deviceCount.optional(),
  new_devices_per_month: deviceCount.optional(),
  lease_days: z.int().positive().max(maxLeaseDays).nullable().optional(),
  features: featureSwitches.default({}),
  ...dryRunField,
});

export const setPlanResponse = z.union([planRecord, policyPreview]);
