/**
 * How a refresh rotates.
 *
 * A session starts at sign-in; each refresh replaces its newest refresh token by a successor. A token that is
 * used again after that means that someone has a copy, so the whole session is revoked (RFC 9700 §4.14). The exception is a
 * client that never received the response: it repeats the request with the same Idempotency-Key and gets the same
 * successor, for as long as that is unused.
 */

/** What the database says about a token that it knows. */
export type RefreshTokenState =
  /** Its session ended: sign-out, a new password, or a token used twice. */
  | { readonly state: 'revoked' }
  /** The newest of its session. */
  | { readonly state: 'current'; readonly expiresAtMs: number }
  /** Replaced with an Idempotency-Key; the successor is unused and stored encrypted. */
  | { readonly state: 'replaced'; readonly idempotencyKeyHash: string; readonly successor: StoredSuccessor }
  /** Replaced, and the successor cannot be given again. */
  | { readonly state: 'used' };

export type StoredSuccessor = { readonly encrypted: string; readonly expiresAtMs: number };

export type RefreshDecision =
  | { readonly action: 'rotate' }
  | { readonly action: 'reissue'; readonly successor: StoredSuccessor }
  | { readonly action: 'revoke_session' }
  | { readonly action: 'reject'; readonly code: 'INVALID_TOKEN' | 'TOKEN_EXPIRED' };

/** `idempotencyKeyHash` is that of this request, `null` if it has none. */
export function decideRefresh(
  token: RefreshTokenState,
  request: { readonly idempotencyKeyHash: string | null; readonly nowMs: number },
): RefreshDecision {
  switch (token.state) {
    case 'revoked':
      return { action: 'reject', code: 'INVALID_TOKEN' };
    case 'current':
      return request.nowMs < token.expiresAtMs ? { action: 'rotate' } : { action: 'reject', code: 'TOKEN_EXPIRED' };
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
