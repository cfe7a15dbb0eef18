/** Decides whether a license is usable and why not, and describes it for the API. */
import type { License } from '../../shared/api/subscription.ts';
import type { AccountSnapshot, LicenseSnapshot } from '../account-snapshots/account-snapshot.ts';
import type { LicenseStatus, Tables } from '../database/tables.ts';
import { givesAccess } from '../subscriptions/subscription.rules.ts';

type StoredLicense = Pick<Tables['licenses'], 'status' | 'expires_at_ms'>;

export type LicenseProblem = 'LICENSE_REVOKED' | 'LICENSE_EXPIRED' | 'LICENSE_INACTIVE' | 'SUBSCRIPTION_INACTIVE';

/** Returns the current status: a license past its expiry date reads `expired`, unless it is revoked. */
export function readLicenseStatus(license: StoredLicense, nowMs: number): LicenseStatus {
  const isOver = license.expires_at_ms !== null && nowMs >= license.expires_at_ms;
  return license.status !== 'revoked' && isOver ? 'expired' : license.status;
}

/**
 * Returns the last status announced to webhooks. A license past its expiry date reads `expired` at once, but
 * `license.expired` is sent a few seconds later.
 */
export function readAnnouncedStatus(
  license: StoredLicense & Pick<Tables['licenses'], 'noticed_lead_ms'>,
  nowMs: number,
): LicenseStatus {
  const status = readLicenseStatus(license, nowMs);
  return status === 'expired' && license.noticed_lead_ms !== 0 ? license.status : status;
}

/**
 * Returns why the license is not usable; `undefined` if it is. Pass `hasAccess` true for a license that does not depend
 * on a subscription.
 */
function evaluateLicense(status: LicenseStatus, hasAccess: boolean): LicenseProblem | undefined {
  switch (status) {
    case 'revoked':
      return 'LICENSE_REVOKED';
    case 'expired':
      return 'LICENSE_EXPIRED';
    case 'inactive':
      return 'LICENSE_INACTIVE';
    case 'active':
      return hasAccess ? undefined : 'SUBSCRIPTION_INACTIVE';
  }
}

/** Evaluates a license for an account. One without an owner is evaluated as if it belonged to the account. */
export function evaluateLicenseOf(
  { subscriptions }: Pick<AccountSnapshot, 'subscriptions'>,
  license: LicenseSnapshot,
  nowMs: number,
): { status: LicenseStatus; problem: LicenseProblem | undefined } {
  const status = readLicenseStatus(license, nowMs);
  const isPaid =
    license.with_subscription === 0 || subscriptions.some((subscription) => givesAccess(subscription, nowMs));
  return { status, problem: evaluateLicense(status, isPaid) };
}

/**
 * Returns true for a license of another user, which must read LICENSE_NOT_FOUND. One without an owner is for the first
 * user who activates it.
 */
export function belongsToOtherUser(license: { readonly user_id: string | null }, userId: string): boolean {
  return license.user_id !== null && license.user_id !== userId;
}

/** Chooses which of a user's licenses is shown: the newest active one, else the newest. Takes them newest first. */
export function chooseMainLicense<T extends StoredLicense>(licenses: readonly T[], nowMs: number): T | undefined {
  return licenses.find((license) => readLicenseStatus(license, nowMs) === 'active') ?? licenses[0];
}

type DescribedLicense = Pick<Tables['licenses'], 'key_preview' | 'plan' | 'max_activations'>;

/** Converts a license to the API representation. */
export function toLicense(license: DescribedLicense, status: LicenseStatus, placesInUse: number): License {
  return {
    key_preview: license.key_preview,
    plan: license.plan,
    status,
    activations: placesInUse,
    max_activations: license.max_activations,
  };
}
