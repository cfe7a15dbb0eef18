/** What an account has all told: its subscription, the license that stands for it, and the features in force now. */
import type { Features } from '../../shared/api/features.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { LicenseService, ShownLicense } from '../licenses/license.service.ts';
import { freePlan, type PlanService } from '../plans/plan.service.ts';
import type { Standing, SubscriptionService } from '../subscriptions/subscription.service.ts';

export type EntitlementService = {
  /** The answer of `/subscription/status` (interface §4). */
  read(userId: string): Promise<SubscriptionStatusResponse>;
  /** The features that the account may use now. */
  featuresInForce(userId: string): Promise<Features>;
};

type Parts = { plans: PlanService; subscriptions: SubscriptionService; licenses: LicenseService };

export function createEntitlementService({ plans, subscriptions, licenses }: Parts): EntitlementService {
  return {
    async read(userId) {
      const standing = await subscriptions.standing(userId);
      const shown = await licenses.shownLicense(userId);
      const features = await plans.featuresOf(planInForce(standing, shown));
      const license = shown?.license ?? null;
      if (!standing) return { has_subscription: false, subscription: null, license, features };
      return { has_subscription: true, subscription: standing.subscription, license, features };
    },
    async featuresInForce(userId) {
      const standing = await subscriptions.standing(userId);
      const shown = standing ? undefined : await licenses.shownLicense(userId);
      return plans.featuresOf(planInForce(standing, shown));
    },
  };
}

/**
 * A subscription decides alone, also one that gives no access; without any, a license that is good
 * (decisions "Plans, subscriptions, licenses").
 */
export function planInForce(standing: Standing | undefined, shown: ShownLicense | undefined): string {
  if (standing) return standing.givesAccess ? standing.subscription.plan : freePlan;
  return shown?.isGood ? shown.license.plan : freePlan;
}
