/** How long an access token may still be used, judged without trusting this machine's wall clock. */
import type { RefreshedTokens } from '../../shared/api/auth.ts';
import type { Clock } from './platform.ts';

export type AccessToken = {
  readonly value: string;
  readonly receivedAtMs: number;
  readonly receivedMonotonicMs: number;
  readonly lifetimeMs: number;
};

const usualLifetimeMs = 3_600_000;
const longestLifetimeMs = 24 * usualLifetimeMs;
const freshShare = 0.8;

/** A token as it was received; its lifetime is measured on the server's clock where the answer told it. */
export function receiveAccessToken(tokens: RefreshedTokens, serverTimeMs: number | null, clock: Clock): AccessToken {
  const lifetimeMs = Date.parse(tokens.expires_at) - (serverTimeMs ?? clock.now());
  const plausible = lifetimeMs > 0 && lifetimeMs <= longestLifetimeMs;
  return {
    value: tokens.access_token,
    receivedAtMs: clock.now(),
    receivedMonotonicMs: clock.monotonic(),
    lifetimeMs: plausible ? lifetimeMs : usualLifetimeMs,
  };
}

/** Whether less than 80 % of its life has passed, on both clocks: the monotonic one may sleep, the other may jump. */
export function isFresh(token: AccessToken, clock: Clock): boolean {
  const agesMs = [clock.now() - token.receivedAtMs, clock.monotonic() - token.receivedMonotonicMs];
  return Math.max(...agesMs) < token.lifetimeMs * freshShare;
}
