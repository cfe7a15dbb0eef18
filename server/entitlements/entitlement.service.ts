/** What a user has: the subscription, the license, and the features in force now. */
import type { Features } from '../../shared/api/features.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { LicenseService } from '../licenses/license.service.ts';
import { freePlan, type PlanService } from '../plans/plan.service.ts';
import type { SubscriptionService } from '../subscriptions/subscription.service.ts';

export type EntitlementServiceDeps = {
  readonly plans: PlanService;
  readonly subscriptions: SubscriptionService;
  readonly licenses: LicenseService;
};

export class EntitlementService {
  readonly #deps: EntitlementServiceDeps;

  constructor(deps: EntitlementServiceDeps) {
    this.#deps = deps;
  }

  /** The response of `/subscription/status`. */
  async status(userId: string): Promise<SubscriptionStatusResponse> {
    const { plans, subscriptions, licenses } = this.#deps;
    const access = await subscriptions.findAccess(userId);
    const main = await licenses.findMain(userId);
    const features = await plans.featuresOf(decidePlanInForce(access, main));
    const license = main?.license ?? null;
    if (!access) return { has_subscription: false, subscription: null, license, features };
    return { has_subscription: true, subscription: access.subscription, license, features };
  }

  /** The features that the user may use now. */
  async featuresInForce(userId: string): Promise<Features> {
    const { plans, subscriptions, licenses } = this.#deps;
    const access = await subscriptions.findAccess(userId);
    const main = access ? undefined : await licenses.findMain(userId);
    return plans.featuresOf(decidePlanInForce(access, main));
  }
}

type SubscriptionInput = { readonly subscription: { readonly plan: string }; readonly givesAccess: boolean };
type LicenseInput = { readonly license: { readonly plan: string }; readonly isUsable: boolean };

/** A subscription decides alone, also one that gives no access. Without a subscription, a usable license decides. */
export function decidePlanInForce(access: SubscriptionInput | undefined, license: LicenseInput | undefined): string {
  if (access) return access.givesAccess ? access.subscription.plan : freePlan;
  return license?.isUsable ? license.license.plan : freePlan;
}
