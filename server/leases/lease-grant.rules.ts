/**
 * Determines what each device of an account gets: the plan that applies there, and until when a lease on it may last.
 * Leases contain it, and the preview of a policy change compares it.
 */

import type { ActivationSnapshot, LicenseSnapshot, Purchases } from '../account-snapshots/account-snapshot.ts';
import { dayMs } from '../clock.ts';
import { evaluateLicenseOf } from '../licenses/license.rules.ts';
import { covers } from '../plans/plan.rules.ts';
import { featuresAmong, type Plan, type Plans } from '../plans/plan.service.ts';
import { chooseSubscription, withoutTypedEmails } from '../subscriptions/subscription.rules.ts';
import { decideLeaseTimes, type LeaseTimes } from './lease.rules.ts';

/** What a usable license gives now, and how long a lease on it lasts. */
type LicenseGrant = { readonly plan: Plan; readonly times: LeaseTimes };

export type DeviceGrant = LicenseGrant & {
  readonly license: LicenseSnapshot;
  readonly activation: ActivationSnapshot;
};

export type GrantInput = {
  /** All plans by name. */
  readonly plans: Plans;
  readonly nowMs: number;
  /** Lease lifetime for plans that do not set one, in ms. */
  readonly ttlMs: number;
};

/**
 * Returns the grants by the ids of the devices that are active on a usable license of the account. If a device is
 * active on several licenses, the newest counts. Subscriptions linked to the account only by a typed email count only
 * where they give at least as much, for at least as long, as the account has without them.
 */
export function grantsByDevice(account: Purchases, input: GrantInput): ReadonlyMap<string, DeviceGrant> {
  const grants = newestGrants(account, input);
  const sure = withoutTypedEmails(account);
  if (sure === account) return grants;
  const chosen = new Map(grants);
  for (const [deviceId, without] of newestGrants(sure, input)) {
    const grant = grants.get(deviceId);
    const isAsGood =
      grant && grant.times.exp >= without.times.exp && covers(grant.plan.features, without.plan.features);
    if (!isAsGood) chosen.set(deviceId, without);
  }
  return chosen;
}

function newestGrants(account: Purchases, input: GrantInput): ReadonlyMap<string, DeviceGrant> {
  const grants = new Map<string, DeviceGrant>();
  for (const license of account.licenses) {
    const grant = decideGrant(account, license, input);
    if (!grant) continue;
    for (const activation of license.active) {
      if (!grants.has(activation.deviceId)) grants.set(activation.deviceId, { ...grant, license, activation });
    }
  }
  return grants;
}

/**
 * Returns `undefined` for a license that is not usable now. A license that follows its owner's subscription gives what
 * that gives, as in `/subscription/status`; any other gives what its own plan gives.
 */
function decideGrant(
  account: Pick<Purchases, 'subscriptions'>,
  license: LicenseSnapshot,
  { plans, nowMs, ttlMs }: GrantInput,
): LicenseGrant | undefined {
  if (evaluateLicenseOf(account, license, nowMs).problem !== undefined) return undefined;
  const subscription =
    license.with_subscription === 1
      ? chooseSubscription(account.subscriptions, featuresAmong(plans), nowMs)
      : undefined;
  const name = subscription?.plan ?? license.plan;
  const plan = plans.get(name);
  if (!plan) throw new Error(`There is no plan named "${name}".`);
  const times = decideLeaseTimes({
    nowMs,
    lifetimeMs: plan.lease_days ? plan.lease_days * dayMs : ttlMs,
    endsMs: [license.expires_at_ms, subscription?.current_period_end_ms ?? null],
  });
  return times && { plan, times };
}
