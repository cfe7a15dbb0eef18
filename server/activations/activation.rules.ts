/**
 * How an activation is decided.
 *
 * The license comes first: `license.rules.ts` says whether it is usable. On a usable license a device that is active stays
 * active, also where the license is full. Any other device needs a free place; the request may name the activation
 * of another device that it replaces. A device that the license was not used on within the last 30 days is a new one,
 * and of those a license has an allowance, so that it cannot be passed from device to device without end. Validation
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

/** How far back the use of a license on a device counts against its allowance of devices. */
export const allowanceWindowMs = 30 * dayMs;

/** What an activation is decided on. */
export type ActivationInput = {
  /** The activation of the requesting device, where it is active on the license. */
  readonly existing: ActivationSnapshot | undefined;
  /** The activation that the request replaces: `unknown` where none of the license's active ones has the id. */
  readonly replaced: ActivationSnapshot | 'unknown' | undefined;
  /** When the latest lease of the replaced activation ends; null where it never had one. */
  readonly replacedLeaseEndMs?: number | null;
  /** How many devices are active on the license. */
  readonly activeCount: number;
  /** The released devices that keep their place, without the requesting one: when their leases end, earliest first. */
  readonly keptUntilMs: readonly number[];
  /** When the latest lease of the requesting device ends, where it was released and keeps its place; otherwise null. */
  readonly ownLeaseEndMs: number | null;
  readonly maxActivations: number;
  /** On how many devices beyond `maxActivations` the license may be used within `allowanceWindowMs`. */
  readonly newDevices: number;
  /** The released devices of the last `allowanceWindowMs`, the requesting one included: when each was released, oldest first. */
  readonly releasedAtMs: readonly number[];
  /** Whether the requesting device is one of those, or keeps its place. */
  readonly isKnownDevice: boolean;
  readonly nowMs: number;
};

/** How many more devices the license may be used on that it was not used on lately. */
export type DeviceAllowance = {
  readonly remaining: number;
  /** The first day (UTC) that begins with one more, in milliseconds since 1970. */
  readonly untilMs: number;
};

export type ActivationDecision =
  | { readonly action: 'keep'; readonly activation: ActivationSnapshot }
  /** `placesInUse`: afterwards. `allowance`: what is left of it afterwards, for a new device. */
  | {
      readonly action: 'activate';
      readonly release: ActivationSnapshot | undefined;
      readonly placesInUse: number;
      readonly allowance: DeviceAllowance | undefined;
    }
  | { readonly action: 'reject'; readonly reason: 'replaced_not_found' }
  /** `freeAtMs`: when enough leases of released devices have ended; undefined where that alone frees no place. */
  | { readonly action: 'reject'; readonly reason: 'limit_reached'; readonly freeAtMs: number | undefined }
  | { readonly action: 'reject'; readonly reason: 'allowance_used'; readonly allowance: DeviceAllowance };

export function decideActivation(input: ActivationInput): ActivationDecision {
  const { existing, replaced, activeCount, maxActivations } = input;
  if (existing !== undefined) return { action: 'keep', activation: existing };
  if (replaced === 'unknown') return { action: 'reject', reason: 'replaced_not_found' };
  const used = activeCount + input.releasedAtMs.length;
  const isNew = !input.isKnownDevice;
  // First, because to release or replace a device would not help. A license for no device has no such date.
  if (isNew && maxActivations > 0 && used >= maxActivations + input.newDevices) {
    return { action: 'reject', reason: 'allowance_used', allowance: readAllowance(input, used) };
  }
  const otherDevices = replaced === undefined ? activeCount : activeCount - 1;
  const keptUntilMs = readKeptPlaces(input);
  const placesInUse = otherDevices + keptUntilMs.length + 1;
  const excess = placesInUse - maxActivations;
  if (excess > 0) return { action: 'reject', reason: 'limit_reached', freeAtMs: keptUntilMs[excess - 1] };
  const allowance = isNew ? readAllowance(input, used + 1) : undefined;
  return { action: 'activate', release: replaced, placesInUse, allowance };
}

/** When the places of released devices become free, that of the replaced device among them; earliest first. */
function readKeptPlaces({ replacedLeaseEndMs, keptUntilMs, nowMs }: ActivationInput): readonly number[] {
  if (!isKept(replacedLeaseEndMs ?? null, nowMs)) return keptUntilMs;
  return [...keptUntilMs, Number(replacedLeaseEndMs)].sort((a, b) => a - b);
}

/** Whether a released device with this end of its latest lease keeps its place. */
export function isKept(leaseEndMs: number | null, nowMs: number): boolean {
  return leaseEndMs !== null && leaseEndMs > nowMs;
}

type ReleasedInput = Pick<ActivationInput, 'keptUntilMs' | 'ownLeaseEndMs' | 'releasedAtMs' | 'isKnownDevice'>;

/** What the decision about a device needs to know of the devices that are not active, of which it may be one. */
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

/** What the activation of the device is decided on, for a request that replaces no device. */
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

/** How many places of the license are in use: by active devices, and by released ones that keep theirs. */
export function countPlacesInUse(license: LicenseSnapshot, nowMs: number): number {
  return license.active.length + readReleased(license).filter(({ leaseEndMs }) => isKept(leaseEndMs, nowMs)).length;
}

/** The devices that are not active: when each was released last, and when its latest lease ends. */
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

/** Whether the account has a license, and whether the device is active on one. */
export function readDeviceActivation({ licenses }: Pick<AccountSnapshot, 'licenses'>, deviceId: string) {
  const isActivated = licenses.some(({ active }) => active.some((activation) => activation.deviceId === deviceId));
  return { hasLicense: licenses.length > 0, isActivated };
}

/** How a license is used, as a device sees it. */
export type ActivationUsage = {
  /** By active devices, and by released ones that keep their place. */
  readonly placesInUse: number;
  readonly isActiveOnDevice: boolean;
  /** Whether a call to activate the device would succeed. */
  readonly canActivate: boolean;
};

export function describeUsage(input: ActivationInput): ActivationUsage {
  return {
    placesInUse: countPlaces(input),
    isActiveOnDevice: input.existing !== undefined,
    canActivate: decideActivation(input).action !== 'reject',
  };
}

/** How many places are in use now, by active devices and by released ones that keep theirs. */
export function countPlaces({ activeCount, keptUntilMs, ownLeaseEndMs }: ActivationInput): number {
  return activeCount + keptUntilMs.length + (ownLeaseEndMs === null ? 0 : 1);
}

/** From so few new devices left on, people are told. */
const lastNewDevices = 1;

/** Of a license that was used: what is left of its allowance of new devices, where that is little. */
export function readLastNewDevices(input: ActivationInput): DeviceAllowance | undefined {
  const used = input.activeCount + input.releasedAtMs.length;
  if (used === 0) return undefined;
  const allowance = readAllowance(input, used);
  return isLittle(allowance) ? allowance : undefined;
}

export function isLittle({ remaining }: DeviceAllowance): boolean {
  return remaining <= lastNewDevices;
}

/** What is left once the license was used on so many devices. An active device counts as used until now. */
function readAllowance(
  { maxActivations, newDevices, releasedAtMs, nowMs }: ActivationInput,
  used: number,
): DeviceAllowance {
  const remaining = maxActivations + newDevices - used;
  // Where the plan was made smaller, several devices have to leave the window before there is one more.
  const nextMs = (releasedAtMs[Math.max(0, -remaining)] ?? nowMs) + allowanceWindowMs;
  return { remaining: Math.max(0, remaining), untilMs: Math.ceil(nextMs / dayMs) * dayMs };
}

const idleAfterMs = 7 * dayMs;
const staleAfterMs = 30 * dayMs;

/** How long a device has been silent. Laptops sleep, so no device is released for it. */
export function readDeviceActivity(lastSeenAtMs: number, nowMs: number): DeviceActivity {
  const silentMs = nowMs - lastSeenAtMs;
  if (silentMs >= staleAfterMs) return 'stale';
  return silentMs >= idleAfterMs ? 'idle' : 'active';
}

/** When a device of this activity was last seen: after `fromMs`, and not after `toMs`. */
export function seenWithin(activity: DeviceActivity, nowMs: number): { fromMs: number; toMs: number } {
  const never = Number.MIN_SAFE_INTEGER;
  if (activity === 'stale') return { fromMs: never, toMs: nowMs - staleAfterMs };
  if (activity === 'idle') return { fromMs: nowMs - staleAfterMs, toMs: nowMs - idleAfterMs };
  return { fromMs: nowMs - idleAfterMs, toMs: Number.MAX_SAFE_INTEGER };
}

const recordEveryMs = 60_000;

/** Whether the use of a device is to be recorded: its last record, if it has one, is not of this last minute. */
export function isRecordDue(lastSeenAtMs: number | undefined, nowMs: number): boolean {
  // A record from the future is of a clock that was wrong.
  return lastSeenAtMs === undefined || nowMs < lastSeenAtMs || nowMs - lastSeenAtMs >= recordEveryMs;
}

/** How long staff see that several installations have used a device. */
const sharedShownMs = 7 * dayMs;

export function isRecentlyShared(sharedAtMs: number, nowMs: number): boolean {
  return nowMs - sharedAtMs < sharedShownMs;
}
