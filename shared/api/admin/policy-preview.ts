/** What a change of policy would do, tried before it is done. */
import { z } from 'zod';

/** `dry_run`: answers what the request would change, and changes nothing. */
export const dryRunField = { dry_run: z.boolean().default(false) };
export const dryRunRequest = z.object(dryRunField);

const count = z.int().nonnegative();
const devicesByFeature = z.record(z.string(), count);

export const policyPreview = z.object({
  /** Those that would have something else than now: other features, another number of devices, another status. */
  would_change: z.object({ accounts: count, licenses: count, devices: count }),
  /** How many devices would no longer have a feature that they have now, by its name. */
  lose: devicesByFeature,
  gain: devicesByFeature,
  /** How many licenses would have more active devices than their plan allows. */
  over_limit: count,
});
export type PolicyPreview = z.infer<typeof policyPreview>;
