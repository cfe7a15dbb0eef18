/** Claims of a lease for Ada, for tests of what follows from them. */
import type { LeaseClaims } from '../../../shared/lease.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';

type Times = { readonly issuedMs: number; readonly renewAfterMs?: number; readonly endMs: number };

export function sampleClaims(
  { issuedMs, renewAfterMs = issuedMs, endMs }: Times,
  features: Readonly<Record<string, boolean | number>> = seededPlans.standard,
): LeaseClaims {
  return {
    iss: 'license-service',
    aud: 'license-lease',
    sub: 'ada',
    jti: 'lease',
    iat: issuedMs / 1000,
    renew_after: renewAfterMs / 1000,
    exp: endMs / 1000,
    device_id: 'HW-1',
    license: 'SVC-AB12...GH7X',
    plan: 'standard',
    features: { ...features } as LeaseClaims['features'],
  };
}
