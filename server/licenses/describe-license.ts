/** The description of a license on the admin page and in admin commands. */
import type { ListedLicense } from '../../shared/api/admin/licenses.ts';
import { toIso } from '../clock.ts';
import type { OwnedLicenseRow } from './license.repository.ts';
import { readLicenseStatus, toLicense } from './license.rules.ts';

export type LicenseForStaff = Readonly<ListedLicense>;

/** Describes a license. `placesInUse` counts active devices, and released ones that keep their place. */
export function describeLicense(row: OwnedLicenseRow, placesInUse: number, nowMs: number): LicenseForStaff {
  return {
    id: row.id,
    ...toLicense(row, readLicenseStatus(row, nowMs), placesInUse),
    user_id: row.user_id,
    email: row.email,
    expires_at: row.expires_at_ms === null ? null : toIso(row.expires_at_ms),
    updates_until: row.updates_until_ms === null ? null : toIso(row.updates_until_ms),
    with_subscription: row.with_subscription === 1,
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
  };
}
