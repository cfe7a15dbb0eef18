/** Refresh tokens: families that start at sign-in, rotation, and the end of a family whose token comes back. */
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { newUuid, type Random } from '../random.ts';
import * as repository from './refresh-token.repository.ts';
import { decideRefresh, type PresentedToken, type RefreshDecision } from './refresh-token.rules.ts';

export type Rotation =
  | { readonly userId: string; readonly refreshToken: string }
  /** Nothing was issued; what had to be revoked is. */
  | { readonly refused: Exclude<RefreshDecision, 'rotate' | 'repeat'> | 'unknown' };

/** All functions run inside of a write, and none throws for a token that is refused: what it revokes must be committed. */
export type RefreshTokens = {
  /** Opens a family for the account and returns its first token. */
  startFamily(transaction: Transaction, userId: string): Promise<string>;
  /** Exchanges a token; the same token with the same `idempotencyKey` gets the same successor while that is unused. */
  rotate(transaction: Transaction, token: string, idempotencyKey: string | undefined): Promise<Rotation>;
  /** Ends the family of the token, if there is one, and says whose it is when the token is the current one. */
  end(transaction: Transaction, token: string): Promise<{ readonly currentOf: string | undefined }>;
  /** Ends every family of the account. */
  endAll(transaction: Transaction, userId: string): Promise<void>;
};

type Parts = { clock: Clock; random: Random; ttlMs: number };

const prefix = 'v1.';
const tokenBytes = 32;
/** For how long a dead family is remembered, so that its tokens are still told as expired. */
const rememberedMs = 30 * 24 * 60 * 60 * 1000;
const retryPurpose = 'refresh token retry';

export function createRefreshTokens({ clock, random, ttlMs }: Parts): RefreshTokens {
  const insertNew = async (transaction: Transaction, familyId: string): Promise<string> => {
    const token = prefix + random(tokenBytes).toString('base64url');
    const nowMs = clock.now();
    await repository.insertToken(transaction, {
      token_hash: sha256(token),
      family_id: familyId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + ttlMs,
      used_at_ms: null,
      child_hash: null,
      retry_key_hash: null,
      sealed_child: null,
    });
    return token;
  };

  const replace = async (
    transaction: Transaction,
    parent: Parent,
    idempotencyKey: string | undefined,
  ): Promise<string> => {
    const { row, token } = parent;
    const nowMs = clock.now();
    const child = await insertNew(transaction, row.family_id);
    await repository.markTokenUsed(transaction, row.token_hash, {
      used_at_ms: nowMs,
      child_hash: sha256(child),
      retry_key_hash: hashRetryKey(idempotencyKey),
      sealed_child: idempotencyKey
        ? encrypt(deriveKey(token, retryPurpose), Buffer.from(child), row.token_hash, random)
        : null,
    });
    await repository.forgetSealedChild(transaction, row.token_hash);
    await repository.deleteUsedTokensExpiredBefore(transaction, row.family_id, nowMs - rememberedMs);
    await repository.extendFamily(transaction, row.family_id, nowMs + ttlMs);
    return child;
  };

  return {
    async startFamily(transaction, userId) {
      const nowMs = clock.now();
      await repository.deleteFamiliesExpiredBefore(transaction, userId, nowMs - rememberedMs);
      const familyId = newUuid(nowMs, random);
      await repository.insertFamily(transaction, {
        id: familyId,
        user_id: userId,
        created_at_ms: nowMs,
        expires_at_ms: nowMs + ttlMs,
        revoked_at_ms: null,
      });
      return insertNew(transaction, familyId);
    },

    async rotate(transaction, token, idempotencyKey) {
      const row = await repository.findToken(transaction, sha256(token));
      if (!row) return { refused: 'unknown' };
      const verdict = decideRefresh(await present(transaction, row), clock.now(), hashRetryKey(idempotencyKey));
      switch (verdict) {
        case 'rotate':
          return { userId: row.user_id, refreshToken: await replace(transaction, { row, token }, idempotencyKey) };
        case 'repeat':
          return { userId: row.user_id, refreshToken: openChild({ row, token }) };
        case 'reused':
          await repository.revokeFamily(transaction, row.family_id, clock.now());
          return { refused: verdict };
        case 'expired':
        case 'revoked':
          return { refused: verdict };
      }
    },

    async end(transaction, token) {
      const row = await repository.findToken(transaction, sha256(token));
      if (!row) return { currentOf: undefined };
      await repository.revokeFamily(transaction, row.family_id, clock.now());
      const isCurrent = row.revoked_at_ms === null && row.used_at_ms === null && clock.now() < row.expires_at_ms;
      return { currentOf: isCurrent ? row.user_id : undefined };
    },

    endAll: (transaction, userId) => repository.revokeFamiliesOfUser(transaction, userId, clock.now()),
  };
}

type Parent = { readonly row: repository.TokenInFamily; readonly token: string };

async function present(transaction: Transaction, row: repository.TokenInFamily): Promise<PresentedToken> {
  const token = { expiresAtMs: row.expires_at_ms, familyRevoked: row.revoked_at_ms !== null };
  if (row.used_at_ms === null) return token;
  const child = row.child_hash === null ? undefined : await repository.findToken(transaction, row.child_hash);
  return {
    ...token,
    rotation: {
      retryKeyHash: row.retry_key_hash,
      childUnused: child?.used_at_ms === null && row.sealed_child !== null,
      childExpiresAtMs: child?.expires_at_ms ?? 0,
    },
  };
}

function openChild({ row, token }: Parent): string {
  if (row.sealed_child === null) throw new Error('a token without a sealed child cannot be repeated');
  return decrypt(deriveKey(token, retryPurpose), row.sealed_child, row.token_hash).toString();
}

function hashRetryKey(idempotencyKey: string | undefined): string | null {
  return idempotencyKey ? sha256(idempotencyKey) : null;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
