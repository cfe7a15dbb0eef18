/** When a device asks the server for its next lease. Pure. */
import type { LeaseClaims } from '../../shared/lease.ts';
import { type EntitlementFacts, isActivated, licenseInStatus } from './entitlement.ts';

/** How long after a refusal the server is asked again without a reason. */
export const askAgainMs = 3_600_000;

/** What came of the last request since the client was started. */
export type LastRequest = {
  readonly outcome: 'given' | 'refused' | 'inconclusive';
  /** On the monotonic clock. */
  readonly ageMs: number;
  /** `contradictions` at that time. */
  readonly contradicted: string;
};

export type RenewalInput = {
  readonly facts: EntitlementFacts;
  /** Of the lease in use. */
  readonly claims: LeaseClaims | null;
  /** Trusted time. */
  readonly nowMs: number;
  /** `null` before the first one. */
  readonly last: LastRequest | null;
  /** Whether the user has asked for everything. */
  readonly isRequested: boolean;
};

/**
 * Without a good lease at each sync, after a refusal each hour or when the user asks. With one from `renew_after` on, and
 * at once where the last responses contradict it; each hour where they go on to do so in the same way.
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
 * Everything in the last validation and in a status about the same license that a lease would say otherwise; empty if nothing.
 * The two may differ: a license that follows its subscription has the features of that, and a validation tells those of the
 * license's own plan.
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
