/** What an account has at a given time, decided by its snapshot. */
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { AccountSnapshot } from '../account-snapshots/account-snapshot.ts';
import { countPlacesInUse } from '../activations/activation.rules.ts';
import { chooseMainLicense, evaluateLicenseOf, readLicenseStatus, toLicense } from '../licenses/license.rules.ts';
import { covers } from '../plans/plan.rules.ts';
import { type FeaturesOf, freePlan } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess, toSubscription } from '../subscriptions/subscription.rules.ts';

/** The response of `/subscription/status`. */
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
 * The plan whose features the account may use now. A subscription decides alone, also one that gives no access; without a
 * subscription, a usable license decides. Where only a typed email ties the subscription to the account, a usable license
 * that stands alone decides, unless the plan of the subscription gives all that it gives.
 */
export function planInForce(
  account: Pick<AccountSnapshot, 'subscriptions' | 'licenses'>,
  featuresOf: FeaturesOf,
  nowMs: number,
): string {
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  const plan = subscription && givesAccess(subscription, nowMs) ? subscription.plan : freePlan;
  if (subscription?.by_typed_email === 0) return plan;
  const main = chooseMainLicense(account.licenses, nowMs);
  if (!main || evaluateLicenseOf(account, main, nowMs).problem !== undefined) return plan;
  if (!subscription) return main.plan;
  return main.with_subscription === 1 || covers(featuresOf(plan), featuresOf(main.plan)) ? plan : main.plan;
}
