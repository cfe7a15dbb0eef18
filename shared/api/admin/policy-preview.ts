/** Previews the effect of a policy change. */
import { z } from 'zod';

/** `dry_run`: returns what the request would change, without changing it. */
export const dryRunField = { dry_run: z.boolean().default(false) };
export const dryRunRequest = z.object(dryRunField);

const count = z.int().nonnegative();
const devicesByFeature = z.record(z.string(), count);

export const policyPreview = z.object({
  /** Records whose features, number of devices or status would change. */
  would_change: z.object({ accounts: count, licenses: count, devices: count }),
  /** Number of devices that would lose each feature, by name. */
  lose: devicesByFeature,
  gain: devicesByFeature,
  /** Number of licenses that would have more active devices than their plan allows. */
  over_limit: count,
});
export type PolicyPreview = z.infer<typeof policyPreview>;
