/**
 * Rules for refresh token rotation.
 *
 * A session starts at sign-in, and each refresh replaces its newest refresh token with a successor. Using a replaced
 * token again means that someone has a copy, so the whole session is revoked (RFC 9700 §4.14). The exception is a
 * client that never received the response: it repeats the request with the same Idempotency-Key and gets the same
 * successor, as long as that has not been used.
 */

/** The stored state of a known token. */
export type RefreshTokenState =
  /** Its session has ended: by sign-out, a password change or the reuse of a token. */
  | { readonly state: 'revoked' }
  /** The newest token of its session. */
  | { readonly state: 'current'; readonly expiresAtMs: number }
  /** Replaced with an Idempotency-Key; the successor is unused and stored encrypted. */
  | { readonly state: 'replaced'; readonly idempotencyKeyHash: string; readonly successor: StoredSuccessor }
  /** Replaced, and the successor cannot be issued again. */
  | { readonly state: 'used' };

type StoredSuccessor = { readonly encrypted: string; readonly expiresAtMs: number };

type RefreshDecision =
  | { readonly action: 'rotate' }
  | { readonly action: 'reissue'; readonly successor: StoredSuccessor }
  | { readonly action: 'revoke_session' }
  | { readonly action: 'reject'; readonly code: 'INVALID_TOKEN' | 'TOKEN_EXPIRED' };

/** Returns true for the newest token of its session, as long as it has not expired. */
export function isUsable(token: RefreshTokenState, nowMs: number): boolean {
  return token.state === 'current' && nowMs < token.expiresAtMs;
}

/** `idempotencyKeyHash` is the hash of the request's Idempotency-Key, `null` if it has none. */
export function decideRefresh(
  token: RefreshTokenState,
  request: { readonly idempotencyKeyHash: string | null; readonly nowMs: number },
): RefreshDecision {
  switch (token.state) {
    case 'revoked':
      return { action: 'reject', code: 'INVALID_TOKEN' };
    case 'current':
      return isUsable(token, request.nowMs) ? { action: 'rotate' } : { action: 'reject', code: 'TOKEN_EXPIRED' };
    case 'replaced': {
      const { successor } = token;
      if (request.idempotencyKeyHash !== token.idempotencyKeyHash) return { action: 'revoke_session' };
      if (request.nowMs >= successor.expiresAtMs) return { action: 'reject', code: 'TOKEN_EXPIRED' };
      return { action: 'reissue', successor };
    }
    case 'used':
      return { action: 'revoke_session' };
  }
}
