/** How long an access token may be used, without relying on this machine's wall clock. */
import type { RefreshedTokens } from '../../shared/api/auth.ts';
import type { Clock } from './platform.ts';

export type AccessToken = {
  readonly value: string;
  readonly receivedAtMs: number;
  readonly receivedMonotonicMs: number;
  readonly lifetimeMs: number;
};

const defaultLifetimeMs = 3_600_000;
const maxLifetimeMs = 24 * defaultLifetimeMs;
const freshShare = 0.8;

/** Measures the lifetime by the server's clock if the response had a `Date`; an implausible one counts as one hour. */
export function receiveAccessToken(tokens: RefreshedTokens, serverTimeMs: number | null, clock: Clock): AccessToken {
  const lifetimeMs = Date.parse(tokens.expires_at) - (serverTimeMs ?? clock.now());
  const plausible = lifetimeMs > 0 && lifetimeMs <= maxLifetimeMs;
  return {
    value: tokens.access_token,
    receivedAtMs: clock.now(),
    receivedMonotonicMs: clock.monotonic(),
    lifetimeMs: plausible ? lifetimeMs : defaultLifetimeMs,
  };
}

/**
 * True while less than 80 % of its lifetime has passed on both clocks: the monotonic one may stop during sleep, the
 * wall clock may jump.
 */
export function isFresh(token: AccessToken, clock: Clock): boolean {
  const agesMs = [clock.now() - token.receivedAtMs, clock.monotonic() - token.receivedMonotonicMs];
  return Math.max(...agesMs) < token.lifetimeMs * freshShare;
}
