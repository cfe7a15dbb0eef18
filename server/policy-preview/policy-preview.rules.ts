/** Compares what accounts, licenses and devices get before and after a policy change, and counts the differences. */
import type { PolicyPreview } from '../../shared/api/admin/policy-preview.ts';
import type { Features } from '../../shared/api/features.ts';
import { isOn, namesOf } from '../../shared/formats/feature-fields.ts';
import type { AccountSnapshot, LicenseSnapshot, Purchases } from '../account-snapshots/account-snapshot.ts';
import { describeStatus } from '../entitlements/entitlement.rules.ts';
import { type DeviceGrant, type GrantInput, grantsByDevice } from '../leases/lease-grant.rules.ts';
import { evaluateLicenseOf } from '../licenses/license.rules.ts';
import { featuresAmong, type Plans } from '../plans/plan.service.ts';

/** Purchases, and the plans that determine what they give. The licenses are the same before and after. */
type PolicyState = { readonly account: Purchases; readonly input: GrantInput };

type AccountState = PolicyState & { readonly account: AccountSnapshot };

export class PolicyComparison {
  readonly #changed = { accounts: 0, licenses: 0, devices: 0 };
  readonly #lose = new Map<string, number>();
  readonly #gain = new Map<string, number>();
  #overLimit = 0;

  addAccount(before: AccountState, after: AccountState): void {
    const parts = this.#addLicenses(before, after);
    if (parts > 0 || !isSame(describeAccount(before), describeAccount(after))) this.#changed.accounts += 1;
  }

  /** Adds a license without an owner. */
  addUnclaimed(before: PolicyState, after: PolicyState): void {
    this.#addLicenses(before, after);
  }

  result(): PolicyPreview {
    return {
      would_change: { ...this.#changed },
      lose: Object.fromEntries(this.#lose),
      gain: Object.fromEntries(this.#gain),
      over_limit: this.#overLimit,
    };
  }

  /** Compares the licenses and devices; returns how many of them change. */
  #addLicenses(before: PolicyState, after: PolicyState): number {
    let changed = 0;
    for (const [index, license] of before.account.licenses.entries()) {
      const next = after.account.licenses[index] ?? license;
      if (isOverNewLimit(license, before.input.plans, after.input.plans)) this.#overLimit += 1;
      if (isSame(describeLicense(before, license), describeLicense(after, next))) continue;
      this.#changed.licenses += 1;
      changed += 1;
    }
    const grants = grantsByDevice(before.account, before.input);
    const nextGrants = grantsByDevice(after.account, after.input);
    for (const deviceId of new Set([...grants.keys(), ...nextGrants.keys()])) {
      const [grant, next] = [grants.get(deviceId), nextGrants.get(deviceId)];
      if (isSame(termsOf(grant), termsOf(next))) continue;
      this.#changed.devices += 1;
      changed += 1;
      this.#addFeatures(grant?.plan.features, next?.plan.features);
    }
    return changed;
  }

  #addFeatures(before: Partial<Features> = {}, after: Partial<Features> = {}): void {
    for (const name of new Set([...namesOf(before), ...namesOf(after)])) {
      const [had, has] = [isOn(before, name), isOn(after, name)];
      if (had === has) continue;
      const counts = had ? this.#lose : this.#gain;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
}

/** Describes an account as `/subscription/status` does. */
function describeAccount({ account, input }: AccountState) {
  const { features, ...status } = describeStatus(account, featuresAmong(input.plans), input.nowMs);
  return [status, whatIsOn(features)];
}

/** Describes the status of a license, what it gives a device, and on how many new devices it may be used. */
function describeLicense({ account, input }: PolicyState, license: LicenseSnapshot) {
  const { status, problem } = evaluateLicenseOf(account, license, input.nowMs);
  if (problem) return [status, problem];
  const plan = input.plans.get(license.plan);
  const onProbe = { subscriptions: account.subscriptions, licenses: [{ ...license, active: [probe] }] };
  const grant = grantsByDevice(onProbe, input).get(probe.deviceId);
  return [status, whatIsOn(plan?.features), plan?.new_devices_per_month, termsOf(grant)];
}

/** Stands for any device on which a license could be activated. */
const probe = { id: '', deviceId: '', lastSeenAtMs: 0, leaseEndMs: null };

/** Returns what a lease would contain. */
function termsOf(grant: DeviceGrant | undefined) {
  return grant && [grant.plan.name, grant.times.exp, whatIsOn(grant.plan.features)];
}

/** Lists the features that are on; a feature that is off is equal to one that does not exist. */
function whatIsOn(features: Features | undefined) {
  return features && [features.max_devices, ...namesOf(features).filter((name) => isOn(features, name))];
}

/**
 * Returns true if the device limit of the license's plan changes to less than the license's number of active devices.
 */
function isOverNewLimit({ plan, active }: LicenseSnapshot, before: Plans, after: Plans): boolean {
  const limit = after.get(plan)?.max_devices;
  return limit !== undefined && limit !== before.get(plan)?.max_devices && active.length > limit;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
