/** Decides what an account is entitled to at a given time, from its snapshot. */
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { AccountSnapshot, Purchases } from '../account-snapshots/account-snapshot.ts';
import { countPlacesInUse } from '../activations/activation.rules.ts';
import { chooseMainLicense, evaluateLicenseOf, readLicenseStatus, toLicense } from '../licenses/license.rules.ts';
import { covers } from '../plans/plan.rules.ts';
import { type FeaturesOf, freePlan } from '../plans/plan.service.ts';
import {
  chooseSubscription,
  givesAccess,
  toSubscription,
  withoutTypedEmails,
} from '../subscriptions/subscription.rules.ts';

/** Returns the response of `/subscription/status`. */
export function describeStatus(
  account: AccountSnapshot,
  featuresOf: FeaturesOf,
  nowMs: number,
): SubscriptionStatusResponse {
  const features = featuresOf(planInForce(account, featuresOf, nowMs));
  const main = chooseMainLicense(account.licenses, nowMs);
  const license = main ? toLicense(main, readLicenseStatus(main, nowMs), countPlacesInUse(main, nowMs)) : null;
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  if (!subscription) return { has_subscription: false, subscription: null, license, features };
  return { has_subscription: true, subscription: toSubscription(subscription, nowMs), license, features };
}

/**
 * Returns the plan whose features the account may use now. A subscription alone decides, even one that gives no access;
 * without a subscription, a usable license decides. A subscription linked to the account only by a typed email decides
 * only if its plan gives everything that the account has without it.
 */
export function planInForce(account: Purchases, featuresOf: FeaturesOf, nowMs: number): string {
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  if (!subscription) return planOfLicense(account, nowMs);
  const plan = givesAccess(subscription, nowMs) ? subscription.plan : freePlan;
  if (subscription.by_typed_email === 0) return plan;
  const without = planInForce(withoutTypedEmails(account), featuresOf, nowMs);
  return without === freePlan || covers(featuresOf(plan), featuresOf(without)) ? plan : without;
}

function planOfLicense(account: Purchases, nowMs: number): string {
  const main = chooseMainLicense(account.licenses, nowMs);
  return main && evaluateLicenseOf(account, main, nowMs).problem === undefined ? main.plan : freePlan;
}
