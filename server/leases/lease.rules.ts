/** How long a lease lasts, when to renew it, and which versions of the app it includes. */
import type { LeaseClaims } from '../../shared/lease.ts';

type LeaseInput = {
  readonly nowMs: number;
  /** Set by the plan or else the setting. */
  readonly lifetimeMs: number;
  /** When the license and subscription it depends on end; null for no end. */
  readonly endsMs: readonly (number | null)[];
};

/** Times of a lease, in seconds since 1970. */
export type LeaseTimes = { readonly iat: number; readonly renew_after: number; readonly exp: number };

/**
 * Returns the times of a lease, to be renewed after half its lifetime; `undefined` if its basis ends within a second.
 */
export function decideLeaseTimes({ nowMs, lifetimeMs, endsMs }: LeaseInput): LeaseTimes | undefined {
  const ends = endsMs.filter((endMs) => endMs !== null);
  const iat = Math.floor(nowMs / 1000);
  const exp = Math.floor(Math.min(nowMs + lifetimeMs, ...ends) / 1000);
  if (exp <= iat) return undefined;
  return { iat, renew_after: iat + Math.floor((exp - iat) / 2), exp };
}

/** Returns the claim about new versions, which only a license with updates up to a date has. */
export function describeUpdates(license: {
  readonly updates_until_ms: number | null;
}): Pick<LeaseClaims, 'updates_until'> {
  const untilMs = license.updates_until_ms;
  return untilMs === null ? {} : { updates_until: Math.max(0, Math.floor(untilMs / 1000)) };
}
