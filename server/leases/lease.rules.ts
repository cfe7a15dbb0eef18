/** How long a lease lasts, when it is to be renewed, and which versions of the app it includes. */
import type { LeaseClaims } from '../../shared/lease.ts';

export type LeaseInput = {
  readonly nowMs: number;
  /** By the plan or the setting. */
  readonly lifetimeMs: number;
  /** When the license and the subscription end that it rests on; null for what has no end. */
  readonly endsMs: readonly (number | null)[];
};

/** In seconds since 1970. */
export type LeaseTimes = { readonly iat: number; readonly renew_after: number; readonly exp: number };

/** `undefined` where what it rests on ends within a second. It is renewed from half of its time. */
export function decideLeaseTimes({ nowMs, lifetimeMs, endsMs }: LeaseInput): LeaseTimes | undefined {
  const ends = endsMs.filter((endMs) => endMs !== null);
  const iat = Math.floor(nowMs / 1000);
  const exp = Math.floor(Math.min(nowMs + lifetimeMs, ...ends) / 1000);
  if (exp <= iat) return undefined;
  return { iat, renew_after: iat + Math.floor((exp - iat) / 2), exp };
}

/** The claim about new versions, which only a license has that includes them up to a date. */
export function describeUpdates(license: {
  readonly updates_until_ms: number | null;
}): Pick<LeaseClaims, 'updates_until'> {
  const untilMs = license.updates_until_ms;
  return untilMs === null ? {} : { updates_until: Math.max(0, Math.floor(untilMs / 1000)) };
}
