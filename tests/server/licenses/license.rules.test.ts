/** Whether a license is usable, in every case. */
import { describe, expect, it } from 'vitest';
import type { LicenseStatus } from '../../../server/database/tables.ts';
import { evaluateLicense, readLicenseStatus } from '../../../server/licenses/license.rules.ts';

describe('the status of a license', () => {
  it.each<{ set: LicenseStatus; expiresAt: number | null; reads: LicenseStatus }>([
    { set: 'active', expiresAt: null, reads: 'active' },
    { set: 'active', expiresAt: 1001, reads: 'active' },
    { set: 'active', expiresAt: 1000, reads: 'expired' },
    { set: 'inactive', expiresAt: null, reads: 'inactive' },
    { set: 'inactive', expiresAt: 999, reads: 'expired' },
    { set: 'revoked', expiresAt: 999, reads: 'revoked' },
    { set: 'expired', expiresAt: null, reads: 'expired' },
    { set: 'expired', expiresAt: 5000, reads: 'expired' },
  ])('set to $set with expiry $expiresAt reads $reads at 1000', ({ set, expiresAt, reads }) => {
    expect(readLicenseStatus({ status: set, expires_at_ms: expiresAt }, 1000)).toBe(reads);
  });
});

describe('a license', () => {
  it.each([
    { status: 'revoked', allows: false, problem: 'LICENSE_REVOKED' },
    { status: 'expired', allows: false, problem: 'LICENSE_EXPIRED' },
    { status: 'inactive', allows: false, problem: 'LICENSE_INACTIVE' },
    { status: 'active', allows: false, problem: 'SUBSCRIPTION_INACTIVE' },
    { status: 'active', allows: true, problem: undefined },
  ] as const)('that is $status has the problem $problem (access: $allows)', ({ status, allows, problem }) => {
    expect(evaluateLicense(status, allows)).toBe(problem);
  });
});
