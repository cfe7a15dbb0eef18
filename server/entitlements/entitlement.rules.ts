/** Which plan a user has now. */
import { freePlan } from '../plans/plan.service.ts';

type SubscriptionInput = { readonly subscription: { readonly plan: string }; readonly givesAccess: boolean };
type LicenseInput = { readonly license: { readonly plan: string }; readonly isUsable: boolean };

/** A subscription decides alone, also one that gives no access. Without a subscription, a usable license decides. */
export function decidePlanInForce(access: SubscriptionInput | undefined, license: LicenseInput | undefined): string {
  if (access) return access.givesAccess ? access.subscription.plan : freePlan;
  return license?.isUsable ? license.license.plan : freePlan;
}
