/** Licenses and their devices as tables for a person. */
import type { LicenseRecord } from '../licenses/license-admin.service.ts';
import { formatTable } from './text-table.ts';

/** The licenses, and below them the devices that hold a slot of one. */
export function formatLicenses(licenses: readonly LicenseRecord[]): string {
  const rows = licenses.map((license) => ({
    ...license,
    slots: `${license.activations} of ${license.max_activations}`,
  }));
  const table = formatTable(rows, ['key_preview', 'plan', 'status', 'slots', 'email', 'expires_at', 'id']);
  const devices = licenses.flatMap((license) => license.devices);
  if (devices.length === 0) return table;
  const columns = ['key_preview', 'device_name', 'platform', 'activity', 'last_seen_at', 'device_id'] as const;
  return `${table}\n\n${formatTable(devices, columns)}`;
}
