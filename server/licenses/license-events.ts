/** The events about a license that are not about a device. */
import { toIsoOrNull } from '../clock.ts';
import type { LicenseStatus } from '../database/tables.ts';
import type { WebhookEvent } from '../webhooks/event-outbox.ts';
import type { LicenseRow } from './license.repository.ts';

type DescribedLicense = Pick<LicenseRow, 'id' | 'user_id' | 'key_preview' | 'plan' | 'expires_at_ms'>;

export function licenseIssued(row: LicenseRow): WebhookEvent {
  const data = {
    ...describe(row),
    status: row.status,
    max_activations: row.max_activations,
    expires_at: toIsoOrNull(row.expires_at_ms),
    with_subscription: row.with_subscription === 1,
  };
  return { type: 'license.issued', userId: row.user_id, data };
}

/** Creates the event for a license that has this status from now on. */
export function licenseBecame(status: LicenseStatus, row: DescribedLicense): WebhookEvent {
  const userId = row.user_id;
  const data = describe(row);
  switch (status) {
    case 'active':
      return { type: 'license.reinstated', userId, data: { ...data, expires_at: toIsoOrNull(row.expires_at_ms) } };
    case 'inactive':
      return { type: 'license.suspended', userId, data };
    case 'revoked':
      return { type: 'license.revoked', userId, data };
    case 'expired':
      return { type: 'license.expired', userId, data: { ...data, expires_at: toIsoOrNull(row.expires_at_ms) } };
  }
}

function describe({ id, key_preview, plan }: DescribedLicense) {
  return { license_id: id, key_preview, plan };
}
