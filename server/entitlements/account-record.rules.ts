/** What an account has at a given time, decided by its cached record. */
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import {
  type ActivationInput,
  isKept,
  type ReleasedDevice,
  readReleasedDevices,
} from '../activations/activation.rules.ts';
import type { LicenseStatus } from '../database/tables.ts';
import {
  chooseMainLicense,
  evaluateLicense,
  type LicenseProblem,
  readLicenseStatus,
  toLicense,
} from '../licenses/license.rules.ts';
import { type FeaturesOf, freePlan } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess, toSubscription } from '../subscriptions/subscription.rules.ts';
import type { AccountRecord, ActivationRecord, LicenseRecord } from './account-record.ts';

/** An account whose licenses are cached. */
export type LicensedAccount = AccountRecord & { readonly licenses: readonly LicenseRecord[] };

export function hasLicenses(account: AccountRecord): account is LicensedAccount {
  return account.licenses !== undefined;
}

export function hasAccess({ subscriptions }: AccountRecord, nowMs: number): boolean {
  return subscriptions.some((subscription) => givesAccess(subscription, nowMs));
}

export function evaluateCachedLicense(
  account: AccountRecord,
  license: LicenseRecord,
  nowMs: number,
): { status: LicenseStatus; problem: LicenseProblem | undefined } {
  const status = readLicenseStatus(license, nowMs);
  const isPaid = license.with_subscription === 0 || hasAccess(account, nowMs);
  return { status, problem: evaluateLicense(status, isPaid) };
}

/** The response of `/subscription/status`. */
export function describeStatus(
  account: LicensedAccount,
  featuresOf: FeaturesOf,
  nowMs: number,
): SubscriptionStatusResponse {
  const features = featuresOf(planInForce(account, featuresOf, nowMs));
  const main = chooseMainLicense(account.licenses, nowMs);
  const license = main ? toLicense(main, readLicenseStatus(main, nowMs), countCachedPlaces(main, nowMs)) : null;
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  if (!subscription) return { has_subscription: false, subscription: null, license, features };
  return { has_subscription: true, subscription: toSubscription(subscription, nowMs), license, features };
}

/** The plan whose features the account may use now. */
export function planInForce(account: LicensedAccount, featuresOf: FeaturesOf, nowMs: number): string {
  const { licenses } = account;
  const subscription = chooseSubscription(account.subscriptions, featuresOf, nowMs);
  const access = subscription && { subscription, givesAccess: givesAccess(subscription, nowMs) };
  const main = access ? undefined : chooseMainLicense(licenses, nowMs);
  const isUsable = main !== undefined && evaluateCachedLicense(account, main, nowMs).problem === undefined;
  return decidePlanInForce(access, main && { license: main, isUsable });
}

type SubscriptionInput = { readonly subscription: { readonly plan: string }; readonly givesAccess: boolean };
type LicenseInput = { readonly license: { readonly plan: string }; readonly isUsable: boolean };

/** A subscription decides alone, also one that gives no access. Without a subscription, a usable license decides. */
export function decidePlanInForce(access: SubscriptionInput | undefined, license: LicenseInput | undefined): string {
  if (access) return access.givesAccess ? access.subscription.plan : freePlan;
  return license?.isUsable ? license.license.plan : freePlan;
}

/** Whether the account has a license, and whether the device is active on one. */
export function readCachedActivation({ licenses }: LicensedAccount, deviceId: string) {
  const isActivated = licenses.some(({ active }) => active.some((activation) => activation.deviceId === deviceId));
  return { hasLicense: licenses.length > 0, isActivated };
}

/** What the activation of the device is decided on, for a request that replaces no device. */
export function readCachedInput(
  license: LicenseRecord,
  plan: { readonly new_devices_per_month: number },
  { deviceId, nowMs }: { readonly deviceId: string; readonly nowMs: number },
): ActivationInput<ActivationRecord> {
  return {
    existing: license.active.find((activation) => activation.deviceId === deviceId),
    replaced: undefined,
    activeCount: license.active.length,
    maxActivations: license.max_activations,
    newDevices: plan.new_devices_per_month,
    ...readReleasedDevices(readReleased(license), { deviceId, nowMs }),
    nowMs,
  };
}

/** How many places of the license are in use: by active devices, and by released ones that keep theirs. */
function countCachedPlaces({ active, released }: LicenseRecord, nowMs: number): number {
  return active.length + released.filter(({ leaseEndMs }) => isKept(leaseEndMs, nowMs)).length;
}

/** The devices that are not active: when each was released last, and when its latest lease ends. */
function readReleased({ active, released }: LicenseRecord): readonly ReleasedDevice[] {
  const inactive = released.filter(({ deviceId }) => !active.some((activation) => activation.deviceId === deviceId));
  const byDevice = new Map<string, ReleasedDevice>();
  for (const { deviceId, releasedAtMs, leaseEndMs } of inactive) {
    const other = byDevice.get(deviceId);
    byDevice.set(deviceId, {
      deviceId,
      releasedAtMs: Math.max(releasedAtMs, other?.releasedAtMs ?? releasedAtMs),
      leaseEndMs: leaseEndMs ?? other?.leaseEndMs ?? null,
    });
  }
  return [...byDevice.values()];
}
