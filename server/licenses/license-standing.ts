/** Puts a license together with the time and its owner's subscription: what both validation and activation judge by. */
import type { Executor } from '../database/database.ts';
import type { LicenseStatus } from '../database/tables.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';
import type { LicenseRow } from './license.repository.ts';
import { evaluateLicense, type LicenseProblem, readLicenseStatus } from './license.rules.ts';

export type LicenseStanding = { readonly status: LicenseStatus; readonly refusal: LicenseProblem | undefined };

/** A license of nobody that is tied to a subscription would follow that of `userId`. */
export async function readLicenseStanding(
  license: LicenseRow,
  context: { userId: string; nowMs: number; subscriptions: SubscriptionService; executor: Executor },
): Promise<LicenseStanding> {
  const status = readLicenseStatus(license, context.nowMs);
  if (license.with_subscription === 0) return { status, refusal: evaluateLicense(status, true) };
  const owner = license.user_id ?? context.userId;
  const standing = await context.subscriptions.standing(owner, context.executor);
  return { status, refusal: evaluateLicense(status, standing?.givesAccess ?? false) };
}
