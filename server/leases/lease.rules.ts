/** How long a lease lasts, and when it is to be renewed. */

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
