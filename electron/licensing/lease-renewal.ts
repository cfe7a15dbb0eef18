/** Decides when a device asks the server for its next lease. Pure. */
import type { LeaseClaims } from '../../shared/lease.ts';
import { type EntitlementFacts, isActivated, licenseInStatus } from './entitlement.ts';

/** How long after a refusal the server is asked again without another reason. */
export const askAgainMs = 3_600_000;

/** Result of the last request since the client started. */
export type LastRequest = {
  readonly outcome: 'given' | 'refused' | 'inconclusive';
  /** On the monotonic clock. */
  readonly ageMs: number;
  /** `contradictions` at that time. */
  readonly contradicted: string;
};

export type RenewalInput = {
  readonly facts: EntitlementFacts;
  /** Claims of the lease in use. */
  readonly claims: LeaseClaims | null;
  /** Trusted time. */
  readonly nowMs: number;
  /** `null` before the first. */
  readonly last: LastRequest | null;
  /** True if the user asked for it. */
  readonly isRequested: boolean;
};

/**
 * Without a good lease: at each sync; after a refusal each hour, or when the user asks. With one: from `renew_after`
 * on, and at once if the last responses contradict it; then each hour while they do so in the same way.
 */
export function isRenewalDue({ facts, claims, nowMs, last, isRequested }: RenewalInput): boolean {
  if (claims === null && !isActivated(facts)) return false;
  const isRefused = last?.outcome === 'refused' && last.contradicted === contradictions(facts, claims);
  if (isRefused) return isRequested || last.ageMs >= askAgainMs;
  if (claims === null || nowMs >= claims.renew_after * 1000) return true;
  const contradicted = contradictions(facts, claims);
  if (contradicted === '') return false;
  return last?.outcome === 'inconclusive' || last?.contradicted !== contradicted || last.ageMs >= askAgainMs;
}

/**
 * Returns everything in the last validation, and in a status about the same license, that the lease contradicts; empty
 * if nothing. The two may differ: a license that follows its subscription has the subscription's features, a validation
 * those of the license's own plan.
 */
export function contradictions(facts: EntitlementFacts, claims: LeaseClaims | null): string {
  const { validation, status } = facts;
  const validated = validation?.response.valid ? validation.response : null;
  const isOfLicense = licenseInStatus(facts)?.status === 'active';
  const said = [
    ...Object.entries(validated?.features ?? {}),
    ...(isOfLicense ? Object.entries(status?.response.features ?? {}) : []),
    ...(isOfLicense ? [['plan', status?.response.subscription?.plan ?? validated?.plan]] : []),
  ];
  const leased: Readonly<Record<string, unknown>> = claims === null ? {} : { ...claims.features, plan: claims.plan };
  const other = said.filter(([name, value]) => value !== undefined && leased[String(name)] !== value);
  return other.length === 0 ? '' : JSON.stringify(other);
}
