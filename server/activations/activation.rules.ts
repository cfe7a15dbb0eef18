/**
 * Rules for activating a device on a license.
 *
 * First the license must be usable, see `license.rules.ts`. On a usable license an active device stays active, even if
 * the license is full. Any other device needs a free place; the request may name the activation of another device that
 * it replaces. A device on which the license was not used within the last 30 days is a new one. The number of new
 * devices is limited by an allowance, so that a license cannot be passed from device to device without end. Validation
 * uses the same decision, so that `can_activate` says what would happen.
 */

import type { DeviceActivity } from '../../shared/api/license.ts';
import type {
  AccountSnapshot,
  ActivationSnapshot,
  LicenseSnapshot,
  ReleaseSnapshot,
} from '../account-snapshots/account-snapshot.ts';
import { dayMs } from '../clock.ts';

/** How far back use of a license on a device counts against its allowance of devices. */
const allowanceWindowMs = 30 * dayMs;

/** Facts that an activation is decided on. */
export type ActivationInput = {
  /** Activation of the requesting device, if it is active on the license. */
  readonly existing: ActivationSnapshot | undefined;
  /** Activation that the request replaces; `unknown` if no active one of the license has this id. */
  readonly replaced: ActivationSnapshot | 'unknown' | undefined;
  /** Number of devices active on the license. */
  readonly activeCount: number;
  /** Lease ends of released devices that keep their place, without the requesting device; earliest first. */
  readonly keptUntilMs: readonly number[];
  /** End of the latest lease of the requesting device if it was released and keeps its place; otherwise null. */
  readonly ownLeaseEndMs: number | null;
  readonly maxActivations: number;
  /** Number of devices beyond `maxActivations` on which the license may be used within `allowanceWindowMs`. */
  readonly newDevices: number;
  /**
   * Release times of the devices released within the last `allowanceWindowMs`, including the requesting one; oldest
   * first.
   */
  readonly releasedAtMs: readonly number[];
  /** True if the requesting device is among them, or keeps its place. */
  readonly isKnownDevice: boolean;
  readonly nowMs: number;
};

/** The remaining allowance of new devices. */
export type DeviceAllowance = {
  readonly remaining: number;
  /** Start of the first day (UTC) on which one more is available, in milliseconds since 1970. */
  readonly untilMs: number;
};

export type ActivationDecision =
  | { readonly action: 'keep'; readonly activation: ActivationSnapshot }
  /** `placesInUse` and `allowance` are those after the activation; `allowance` is set for a new device. */
  | {
      readonly action: 'activate';
      readonly release: ActivationSnapshot | undefined;
      readonly placesInUse: number;
      readonly allowance: DeviceAllowance | undefined;
    }
  | { readonly action: 'reject'; readonly reason: 'replaced_not_found' }
  /** `freeAtMs` is when enough leases of released devices will have ended; undefined if that alone frees no place. */
  | { readonly action: 'reject'; readonly reason: 'limit_reached'; readonly freeAtMs: number | undefined }
  | { readonly action: 'reject'; readonly reason: 'allowance_used'; readonly allowance: DeviceAllowance };

/** Decides on the request, for activation and validation alike; the rules are described at the top of this file. */
export function decideActivation(input: ActivationInput): ActivationDecision {
  const { existing, replaced, activeCount, maxActivations } = input;
  if (existing !== undefined) return { action: 'keep', activation: existing };
  if (replaced === 'unknown') return { action: 'reject', reason: 'replaced_not_found' };
  const used = activeCount + input.releasedAtMs.length;
  const isNew = !input.isKnownDevice;
  // Checked first, because releasing or replacing a device would not help. A license for zero devices has no such date.
  if (isNew && maxActivations > 0 && used >= maxActivations + input.newDevices) {
    return { action: 'reject', reason: 'allowance_used', allowance: readAllowance(input, used) };
  }
  const otherDevices = replaced === undefined ? activeCount : activeCount - 1;
  const keptUntilMs = readKeptPlaces(input, replaced);
  const placesInUse = otherDevices + keptUntilMs.length + 1;
  const excess = placesInUse - maxActivations;
  if (excess > 0) return { action: 'reject', reason: 'limit_reached', freeAtMs: keptUntilMs[excess - 1] };
  const allowance = isNew ? readAllowance(input, used + 1) : undefined;
  return { action: 'activate', release: replaced, placesInUse, allowance };
}

/** Returns when the places of released devices become free, including that of the replaced device; earliest first. */
function readKeptPlaces(
  { keptUntilMs, nowMs }: ActivationInput,
  replaced: ActivationSnapshot | undefined,
): readonly number[] {
  const leaseEndMs = replaced?.leaseEndMs ?? null;
  if (!isKept(leaseEndMs, nowMs)) return keptUntilMs;
  return [...keptUntilMs, Number(leaseEndMs)].sort((a, b) => a - b);
}

/** Returns true if a released device whose latest lease ends then still keeps its place. */
export function isKept(leaseEndMs: number | null, nowMs: number): boolean {
  return leaseEndMs !== null && leaseEndMs > nowMs;
}

type ReleasedInput = Pick<ActivationInput, 'keptUntilMs' | 'ownLeaseEndMs' | 'releasedAtMs' | 'isKnownDevice'>;

/** Returns the facts about devices that are not active, which may include the requesting one. */
export function readReleasedDevices(
  released: readonly ReleaseSnapshot[],
  { deviceId, nowMs }: { readonly deviceId: string; readonly nowMs: number },
): ReleasedInput {
  const kept = released.filter(({ leaseEndMs }) => isKept(leaseEndMs, nowMs));
  const recent = released.filter(({ releasedAtMs }) => releasedAtMs > nowMs - allowanceWindowMs);
  const isThis = (device: ReleaseSnapshot) => device.deviceId === deviceId;
  const ascending = (a: number, b: number) => a - b;
  return {
    keptUntilMs: kept
      .filter((device) => !isThis(device))
      .map(({ leaseEndMs }) => Number(leaseEndMs))
      .sort(ascending),
    ownLeaseEndMs: kept.find(isThis)?.leaseEndMs ?? null,
    releasedAtMs: recent.map(({ releasedAtMs }) => releasedAtMs).sort(ascending),
    isKnownDevice: recent.some(isThis) || kept.some(isThis),
  };
}

/** Returns the facts for a request that replaces no device. */
export function readActivationInput(
  license: LicenseSnapshot,
  plan: { readonly new_devices_per_month: number },
  { deviceId, nowMs }: { readonly deviceId: string; readonly nowMs: number },
): ActivationInput {
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

/** Counts the places of the license that are in use, by active devices and by released ones that keep theirs. */
export function countPlacesInUse(license: LicenseSnapshot, nowMs: number): number {
  return license.active.length + readReleased(license).filter(({ leaseEndMs }) => isKept(leaseEndMs, nowMs)).length;
}

/** Returns the devices that are not active, each with its last release and the end of its latest lease. */
function readReleased({ active, released }: LicenseSnapshot): readonly ReleaseSnapshot[] {
  const inactive = released.filter(({ deviceId }) => !active.some((activation) => activation.deviceId === deviceId));
  const byDevice = new Map<string, ReleaseSnapshot>();
  for (const { deviceId, releasedAtMs, leaseEndMs } of inactive) {
    const other = byDevice.get(deviceId);
    byDevice.set(deviceId, {
      deviceId,
      releasedAtMs: Math.max(releasedAtMs, other?.releasedAtMs ?? releasedAtMs),
      leaseEndMs: maxOrNull(leaseEndMs, other?.leaseEndMs ?? null),
    });
  }
  return [...byDevice.values()];
}

function maxOrNull(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Returns whether the account has a license, and whether the device is active on one. */
export function readDeviceActivation({ licenses }: Pick<AccountSnapshot, 'licenses'>, deviceId: string) {
  const isActivated = licenses.some(({ active }) => active.some((activation) => activation.deviceId === deviceId));
  return { hasLicense: licenses.length > 0, isActivated };
}

/** Number of remaining new devices from which users are warned. */
const lastNewDevices = 1;

/** Returns the allowance of new devices that a license in use has left; `undefined` unless it is small. */
export function readLastNewDevices(input: ActivationInput): DeviceAllowance | undefined {
  const used = input.activeCount + input.releasedAtMs.length;
  if (used === 0) return undefined;
  const allowance = readAllowance(input, used);
  return isLittle(allowance) ? allowance : undefined;
}

export function isLittle({ remaining }: DeviceAllowance): boolean {
  return remaining <= lastNewDevices;
}

/** Returns the allowance that remains after use on `used` devices. An active device counts as used until now. */
function readAllowance(
  { maxActivations, newDevices, releasedAtMs, nowMs }: ActivationInput,
  used: number,
): DeviceAllowance {
  const remaining = maxActivations + newDevices - used;
  // If the plan's limits were lowered, several devices must leave the window before one more is available.
  const nextMs = (releasedAtMs[Math.max(0, -remaining)] ?? nowMs) + allowanceWindowMs;
  return { remaining: Math.max(0, remaining), untilMs: Math.ceil(nextMs / dayMs) * dayMs };
}

const idleAfterMs = 7 * dayMs;
const staleAfterMs = 30 * dayMs;

/** Returns how long a device has been silent. Laptops sleep, so no device is released because of this. */
export function readDeviceActivity(lastSeenAtMs: number, nowMs: number): DeviceActivity {
  const silentMs = nowMs - lastSeenAtMs;
  if (silentMs >= staleAfterMs) return 'stale';
  return silentMs >= idleAfterMs ? 'idle' : 'active';
}

/** Returns the range in which devices of this activity were last seen: after `fromMs`, up to and including `toMs`. */
export function seenWithin(activity: DeviceActivity, nowMs: number): { fromMs: number; toMs: number } {
  const never = Number.MIN_SAFE_INTEGER;
  if (activity === 'stale') return { fromMs: never, toMs: nowMs - staleAfterMs };
  if (activity === 'idle') return { fromMs: nowMs - staleAfterMs, toMs: nowMs - idleAfterMs };
  return { fromMs: nowMs - idleAfterMs, toMs: Number.MAX_SAFE_INTEGER };
}

const recordEveryMs = 60_000;

/** Returns true if the use of a device must be recorded: it has no record yet, or none from the last minute. */
export function isRecordDue(lastSeenAtMs: number | undefined, nowMs: number): boolean {
  // A record in the future was made while the clock was wrong.
  return lastSeenAtMs === undefined || nowMs < lastSeenAtMs || nowMs - lastSeenAtMs >= recordEveryMs;
}

/** How long staff see that several installations have used a device, in ms. */
const sharedShownMs = 7 * dayMs;

export function isRecentlyShared(sharedAtMs: number, nowMs: number): boolean {
  return nowMs - sharedAtMs < sharedShownMs;
}
