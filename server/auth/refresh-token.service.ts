/** Starts sessions at sign-in, rotates their refresh tokens and ends them. */
import { dayMs, toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { lockUser } from '../database/row-locks.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { newUuid } from '../random.ts';
import { hashSecretToken, newSecretToken } from '../secret-token.ts';
import { readSessionEnd } from './browser-session.rules.ts';
import * as repository from './refresh-token.repository.ts';
import { decideRefresh, isUsable, type RefreshTokenState } from './refresh-token.rules.ts';

/** A session and its newest token. */
export type StartedSession = { readonly sessionId: string; readonly refreshToken: string };

type TokenRotation =
  | (StartedSession & { readonly status: 'rotated'; readonly userId: string; readonly passwordChangedAtMs: number })
  | {
      readonly status: 'rejected';
      readonly code: 'INVALID_TOKEN' | 'TOKEN_EXPIRED';
      /** User whose token was reused, if that is the reason. */
      readonly reusedOf?: string;
    };

type RefreshTokenServiceDeps = Pick<CommonDeps, 'config' | 'database' | 'clock' | 'random'>;

const tokenPrefix = 'v1.';
const maxUserAgentLength = 300;
/**
 * Extra time added to a session's expiry so that most refreshes need not update it. The expiry only says when the row
 * may be deleted.
 */
const expirySlackMs = dayMs;
/** Must never change: the database holds successors encrypted under keys derived with it. */
const successorKeyPurpose = 'refresh token retry';

/**
 * Every method except `listSessions` runs within a write. None throws for a rejected token, so that a revocation is
 * committed.
 */
export class RefreshTokenService {
  readonly #deps: RefreshTokenServiceDeps;

  constructor(deps: RefreshTokenServiceDeps) {
    this.#deps = deps;
  }

  /** Starts a session for the user. Stores only the beginning of the user agent. */
  async startSession(transaction: Transaction, userId: string, userAgent: string): Promise<StartedSession> {
    const { config, clock, random } = this.#deps;
    const nowMs = clock.now();
    const sessionId = newUuid(nowMs, random);
    await repository.addSession(transaction, {
      id: sessionId,
      user_id: userId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + config.refreshTokenTtlMs + expirySlackMs,
      revoked_at_ms: null,
      user_agent: shortenUserAgent(userAgent),
    });
    return { sessionId: sessionId, refreshToken: await this.#insertToken(transaction, sessionId, nowMs) };
  }

  /** Exchanges a token for its successor, as `decideRefresh` decides. */
  async rotate(transaction: Transaction, token: string, idempotencyKey: string | undefined): Promise<TokenRotation> {
    const nowMs = this.#deps.clock.now();
    const tokenHash = hashSecretToken(token);
    await repository.lockSessionOfToken(transaction, tokenHash);
    const row = await repository.findToken.first(transaction, { tokenHash });
    if (!row) return { status: 'rejected', code: 'INVALID_TOKEN' };
    const idempotencyKeyHash = idempotencyKey ? hashSecretToken(idempotencyKey) : null;
    const decision = decideRefresh(await readState(transaction, row), { idempotencyKeyHash, nowMs });
    const rotated = {
      status: 'rotated',
      userId: row.user_id,
      sessionId: row.session_id,
      passwordChangedAtMs: row.password_changed_at_ms,
    } as const;
    switch (decision.action) {
      case 'rotate': {
        const refreshToken = await this.#replace(transaction, { token, row, idempotencyKeyHash, nowMs });
        return { ...rotated, refreshToken };
      }
      case 'reissue': {
        const successor = decrypt(successorKey(token), decision.successor.encrypted, row.token_hash);
        return { ...rotated, refreshToken: successor.toString() };
      }
      case 'revoke_session':
        await repository.revokeSession(transaction, row, nowMs);
        return { status: 'rejected', code: 'INVALID_TOKEN', reusedOf: row.user_id };
      case 'reject':
        return { status: 'rejected', code: decision.code };
    }
  }

  /**
   * Ends the session of a token. Returns its user, whether it had not ended before, and whether the token was the
   * current one and had not expired; `undefined` for an unknown token. `allDevices` announces that `endAllSessions` may
   * follow in the same transaction.
   */
  async endSession(transaction: Transaction, token: string, { allDevices }: { readonly allDevices: boolean }) {
    const nowMs = this.#deps.clock.now();
    const tokenHash = hashSecretToken(token);
    if (allDevices) await repository.lockUserOfToken(transaction, tokenHash);
    await repository.lockSessionOfToken(transaction, tokenHash);
    const row = await repository.findToken.first(transaction, { tokenHash });
    if (!row) return undefined;
    const state = await readState(transaction, row);
    await repository.revokeSession(transaction, row, nowMs);
    return {
      userId: row.user_id,
      wasActive: row.revoked_at_ms === null,
      wasCurrent: isUsable(state, nowMs),
    };
  }

  /** Returns the user's sessions that have not ended, newest first. */
  async listSessions(userId: string) {
    const { config, database, clock } = this.#deps;
    const nowMs = clock.now();
    const sessions = await repository.listSessions(database.read, userId, nowMs);
    return sessions.flatMap(
      ({ id, created_at_ms, expires_at_ms, token_expires_at_ms, last_used_at_ms, user_agent }) => {
        // Each use creates a token, so the last use is the newest token's expiry minus its lifetime.
        const usedAtMs =
          last_used_at_ms ?? Math.max(created_at_ms, (token_expires_at_ms ?? 0) - config.refreshTokenTtlMs);
        const endsAtMs =
          last_used_at_ms === null
            ? (token_expires_at_ms ?? expires_at_ms)
            : readSessionEnd({ last_used_at_ms, expires_at_ms });
        if (endsAtMs <= nowMs) return [];
        const times = { created_at: toIso(created_at_ms), last_used_at: toIso(usedAtMs), expires_at: toIso(endsAtMs) };
        return { id, ...times, user_agent: user_agent ?? '' };
      },
    );
  }

  /** Returns the session of a token if it belongs to the user and the token could still be exchanged. */
  async findOwnSession(transaction: Transaction, token: string, userId: string): Promise<string | undefined> {
    const tokenHash = hashSecretToken(token);
    await repository.lockSessionOfToken(transaction, tokenHash);
    const row = await repository.findToken.first(transaction, { tokenHash });
    if (row?.user_id !== userId) return undefined;
    return isUsable(await readState(transaction, row), this.#deps.clock.now()) ? row.session_id : undefined;
  }

  /**
   * Returns false if the session has ended. With the account locked, this stays so until the transaction ends, except
   * for a sign-out from the session itself.
   */
  readonly isSessionOpen = (transaction: Transaction, id: string): Promise<boolean> =>
    repository.isSessionUnrevoked(transaction, id);

  /** Ends a session of the user; returns false if the user has no active session with this id. */
  endOwnSession(transaction: Transaction, userId: string, id: string): Promise<boolean> {
    return repository.revokeSessionOfUser(transaction, { id, userId }, this.#deps.clock.now());
  }

  /** Ends every session of the user except the one to keep, if any. */
  readonly endAllSessions = async (transaction: Transaction, userId: string, keptId?: string): Promise<void> => {
    await lockUser(transaction, userId);
    await repository.revokeSessionsOfUser(transaction, { userId, keptId }, this.#deps.clock.now());
  };

  async #insertToken(transaction: Transaction, sessionId: string, nowMs: number): Promise<string> {
    const { config, random } = this.#deps;
    const token = tokenPrefix + newSecretToken(random);
    await repository.insertToken.run(transaction, {
      token_hash: hashSecretToken(token),
      session_id: sessionId,
      created_at_ms: nowMs,
      expires_at_ms: nowMs + config.refreshTokenTtlMs,
      used_at_ms: null,
      successor_hash: null,
      idempotency_key_hash: null,
      encrypted_successor: null,
    });
    return token;
  }

  async #replace(transaction: Transaction, { token, row, idempotencyKeyHash, nowMs }: Replacement): Promise<string> {
    const { config, random } = this.#deps;
    const successor = await this.#insertToken(transaction, row.session_id, nowMs);
    await repository.markTokenUsed.run(transaction, {
      token_hash: row.token_hash,
      used_at_ms: nowMs,
      successor_hash: hashSecretToken(successor),
      idempotency_key_hash: idempotencyKeyHash,
      encrypted_successor:
        idempotencyKeyHash && encrypt(successorKey(token), Buffer.from(successor), row.token_hash, random),
    });
    await repository.deleteEncryptedCopy.run(transaction, { tokenHash: row.token_hash });
    const expiresAtMs = nowMs + config.refreshTokenTtlMs;
    if (row.session_expires_at_ms < expiresAtMs) {
      const extended = { sessionId: row.session_id, expiresAtMs: expiresAtMs + expirySlackMs };
      await repository.extendSession.run(transaction, extended);
    }
    return successor;
  }
}

type Replacement = {
  readonly token: string;
  readonly row: repository.TokenOfSession;
  readonly idempotencyKeyHash: string | null;
  readonly nowMs: number;
};

async function readState(transaction: Transaction, row: repository.TokenOfSession): Promise<RefreshTokenState> {
  if (row.revoked_at_ms !== null) return { state: 'revoked' };
  if (row.used_at_ms === null) return { state: 'current', expiresAtMs: row.expires_at_ms };
  const { successor_hash, idempotency_key_hash, encrypted_successor } = row;
  if (successor_hash === null || idempotency_key_hash === null || encrypted_successor === null)
    return { state: 'used' };
  // The successor has not been used: its use would have deleted the encrypted copy.
  const successor = await repository.findToken.first(transaction, { tokenHash: successor_hash });
  if (!successor) return { state: 'used' };
  return {
    state: 'replaced',
    idempotencyKeyHash: idempotency_key_hash,
    successor: { encrypted: encrypted_successor, expiresAtMs: successor.expires_at_ms },
  };
}

/**
 * Derives the key from the replaced token, which is not in the database, so the database alone reveals no usable
 * successor.
 */
function successorKey(token: string): Buffer {
  return deriveKey(token, successorKeyPurpose);
}

/** Shortens the user agent. A header has no character that a database cannot store. */
export function shortenUserAgent(text: string): string {
  return text.slice(0, maxUserAgentLength);
}
