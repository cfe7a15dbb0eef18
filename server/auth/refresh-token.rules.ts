/** Decides what the use of a refresh token means; pure. */

export type PresentedToken = {
  readonly expiresAtMs: number;
  readonly familyRevoked: boolean;
  /** Set once the token was rotated. */
  readonly rotation?: {
    /** Hash of the Idempotency-Key that came with the rotation, if one did. */
    readonly retryKeyHash: string | null;
    readonly childUnused: boolean;
    readonly childExpiresAtMs: number;
  };
};

export type RefreshDecision =
  /** Exchange it for a new token. */
  | 'rotate'
  /** An answer was lost: give the same child again. */
  | 'repeat'
  /** A rotated token came back: someone has a copy, so the whole family ends (RFC 9700 §4.14). */
  | 'reused'
  | 'expired'
  | 'revoked';

/** `retryKeyHash` is that of the Idempotency-Key that came with this use. */
export function decideRefresh(token: PresentedToken, nowMs: number, retryKeyHash: string | null): RefreshDecision {
  if (token.familyRevoked) return 'revoked';
  const { rotation } = token;
  if (!rotation) return nowMs >= token.expiresAtMs ? 'expired' : 'rotate';
  const isRetry = retryKeyHash !== null && rotation.retryKeyHash === retryKeyHash && rotation.childUnused;
  if (!isRetry) return 'reused';
  return nowMs >= rotation.childExpiresAtMs ? 'expired' : 'repeat';
}
