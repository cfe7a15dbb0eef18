/** What a refresh does with a token in each state, so that a token that is used twice ends its session. */
import { describe, expect, it } from 'vitest';
import { decideRefresh, isUsable, type RefreshTokenState } from '../../../server/auth/refresh-token.rules.ts';

const endMs = 1000;
const successor = { encrypted: 'c2VjcmV0', expiresAtMs: endMs };
const current: RefreshTokenState = { state: 'current', expiresAtMs: endMs };
const replaced: RefreshTokenState = { state: 'replaced', idempotencyKeyHash: 'key', successor };
const invalid = { action: 'reject', code: 'INVALID_TOKEN' };
const expired = { action: 'reject', code: 'TOKEN_EXPIRED' };
const revoked = { action: 'revoke_session' };

describe('a refresh token', () => {
  it.each([
    ['that was never used is replaced', current, null, endMs - 1, { action: 'rotate' }],
    ['that was never used is replaced, also with an Idempotency-Key', current, 'key', 0, { action: 'rotate' }],
    ['expires at its end', current, null, endMs, expired],
    ['stays expired after its end', current, 'key', endMs + 1, expired],
    ['of a session that ended is refused', { state: 'revoked' }, 'key', 0, invalid],
    ['that is used again ends the session', { state: 'used' }, 'key', 0, revoked],
    ['that is used again after its end ends the session', { state: 'used' }, null, endMs, revoked],
    ['that is repeated gives the same successor', replaced, 'key', endMs - 1, { action: 'reissue', successor }],
    ['that is repeated gives no successor that has expired', replaced, 'key', endMs, expired],
    ['that is repeated with another key ends the session', replaced, 'other', 0, revoked],
    ['that is repeated without a key ends the session', replaced, null, 0, revoked],
    ['that is used again ends the session, also where its successor has expired', replaced, 'other', endMs, revoked],
  ] as const)('%s', (_, token, idempotencyKeyHash, nowMs, decision) => {
    expect(decideRefresh(token, { idempotencyKeyHash, nowMs })).toStrictEqual(decision);
  });

  it('is usable while it is the newest of its session and has not expired', () => {
    expect(isUsable(current, endMs - 1)).toBe(true);
    expect(isUsable(current, endMs)).toBe(false);
    for (const token of [replaced, { state: 'used' }, { state: 'revoked' }] as const) {
      expect(isUsable(token, 0)).toBe(false);
    }
  });
});
