/** Decides what an account is entitled to at a given time, from its snapshot. */
import type { EntitlementBasis } from '../../shared/api/admin/accounts.ts';
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
  const features = featuresOf(decidePlan(account, featuresOf, nowMs).plan);
  const main = chooseMainLicense(account.licenses, nowMs);
  const license = main ? toLicense(main, readLicenseStatus(main, nowMs), countPlacesInUse(main, nowMs)) : null;
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  if (!subscription) return { has_subscription: false, subscription: null, license, features };
  return { has_subscription: true, subscription: toSubscription(subscription, nowMs), license, features };
}

/** A plan, and what decided that it is the one in force. */
type PlanDecision = { readonly plan: string; readonly decided_by: EntitlementBasis };

/**
 * Decides which plan's features the account may use now. A subscription alone decides, even one that gives no access;
 * without a subscription, a usable license decides. A subscription linked to the account only by a typed email decides
 * only if its plan gives everything that the account has without it.
 */
export function decidePlan(account: Purchases, featuresOf: FeaturesOf, nowMs: number): PlanDecision {
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  if (!subscription) return decideByLicense(account, nowMs);
  const decision: PlanDecision = givesAccess(subscription, nowMs)
    ? { plan: subscription.plan, decided_by: 'subscription' }
    : { plan: freePlan, decided_by: 'subscription_without_access' };
  if (subscription.by_typed_email === 0) return decision;
  const without = decidePlan(withoutTypedEmails(account), featuresOf, nowMs);
  const takesNothing = without.plan === freePlan || covers(featuresOf(decision.plan), featuresOf(without.plan));
  return takesNothing ? decision : without;
}

function decideByLicense(account: Purchases, nowMs: number): PlanDecision {
  const main = chooseMainLicense(account.licenses, nowMs);
  if (!main) return { plan: freePlan, decided_by: 'nothing' };
  return evaluateLicenseOf(account, main, nowMs).problem === undefined
    ? { plan: main.plan, decided_by: 'license' }
    : { plan: freePlan, decided_by: 'unusable_license' };
}
