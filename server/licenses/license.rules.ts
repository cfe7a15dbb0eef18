/** Says whether a license is good at a moment, and if not, why (decisions "Plans, subscriptions, licenses"). */
import type { LicenseStatus } from '../database/tables.ts';

export type LicenseFacts = {
  /** As it was set. */
  readonly status: LicenseStatus;
  readonly expires_at_ms: number | null;
};

export type LicenseProblem = 'LICENSE_REVOKED' | 'LICENSE_EXPIRED' | 'LICENSE_INACTIVE' | 'SUBSCRIPTION_INACTIVE';

/** The status now: expiry follows from the license's own date; revoked comes before it, suspended after it. */
export function readLicenseStatus(license: LicenseFacts, nowMs: number): LicenseStatus {
  const isOver = license.expires_at_ms !== null && nowMs >= license.expires_at_ms;
  return license.status !== 'revoked' && isOver ? 'expired' : license.status;
}

/** `subscriptionAllows` is true for a license that is tied to no subscription. `undefined` is a good license. */
export function evaluateLicense(status: LicenseStatus, subscriptionAllows: boolean): LicenseProblem | undefined {
  switch (status) {
    case 'revoked':
      return 'LICENSE_REVOKED';
    case 'expired':
      return 'LICENSE_EXPIRED';
    case 'inactive':
      return 'LICENSE_INACTIVE';
    case 'active':
      return subscriptionAllows ? undefined : 'SUBSCRIPTION_INACTIVE';
  }
}
