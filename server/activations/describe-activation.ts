/** API descriptions of activations, including released ones that keep their place. */
import type { LicensedDevice } from '../../shared/api/admin/devices.ts';
import type { Activation, ReleasedDevice } from '../../shared/api/license.ts';
import { toIso } from '../clock.ts';
import type { KeptPlaceRow, LicensedActivationRow } from './activation.repository.ts';
import { isRecentlyShared, readDeviceActivity } from './activation.rules.ts';

export function toActivation(row: LicensedActivationRow, nowMs: number): Activation {
  return {
    ...describeDevice(row),
    activated_at: toIso(row.activated_at_ms),
    last_seen_at: toIso(row.last_seen_at_ms),
    activity: readDeviceActivity(row.last_seen_at_ms, nowMs),
  };
}

/** Converts an activation to the form shown to staff. */
export function toLicensedDevice(row: LicensedActivationRow, nowMs: number): LicensedDevice {
  const { several_installations_at_ms: sharedAtMs } = row;
  const isShared = sharedAtMs !== null && isRecentlyShared(sharedAtMs, nowMs);
  return { ...toActivation(row, nowMs), ...(isShared && { several_installations_at: toIso(sharedAtMs) }) };
}

export function toReleasedDevice(row: KeptPlaceRow): ReleasedDevice {
  const { released_at_ms, lease_expires_at_ms } = row;
  return { ...describeDevice(row), released_at: toIso(released_at_ms), place_free_at: toIso(lease_expires_at_ms) };
}

function describeDevice({ id, key_preview, device_id, device_name, platform }: LicensedActivationRow) {
  return { activation_id: id, key_preview, device_id, device_name, platform };
}
