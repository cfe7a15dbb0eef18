/** How the API describes an activation. */
import type { Activation } from '../../shared/api/license.ts';
import { toIso } from '../clock.ts';
import type { LicensedActivationRow } from './activation.repository.ts';
import { readDeviceActivity } from './activation.rules.ts';

export function toActivation(row: LicensedActivationRow, nowMs: number): Activation {
  return {
    activation_id: row.id,
    key_preview: row.key_preview,
    device_id: row.device_id,
    device_name: row.device_name,
    platform: row.platform,
    activated_at: toIso(row.activated_at_ms),
    last_seen_at: toIso(row.last_seen_at_ms),
    activity: readDeviceActivity(row.last_seen_at_ms, nowMs),
  };
}
