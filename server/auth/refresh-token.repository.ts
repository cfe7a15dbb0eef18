/** Queries on refresh tokens and their sessions. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { exists } from '../database/queries.ts';
import { lockRows } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

type SessionRow = Tables['sessions'];
type TokenRow = Tables['refresh_tokens'];

/** A token with columns of its session and user. */
export type TokenOfSession = TokenRow &
  Pick<SessionRow, 'user_id' | 'revoked_at_ms'> &
  Pick<Tables['users'], 'password_changed_at_ms'> & { readonly session_expires_at_ms: number };

/** The session that an access token is issued for. */
export type AccessGrant = {
  readonly userId: string;
  /** Session that the token belongs to. */
  readonly sessionId: string;
  /**
   * Time of the account's last password change, as of issue. A different time now means that the password changed
   * since.
   */
  readonly passwordChangedAtMs: number;
};

/** Locks the session of the token until the transaction ends: nobody else can rotate its tokens or end it. */
export function lockSessionOfToken(transaction: Transaction, tokenHash: string): Promise<void> {
  return lockRows(transaction, () => {
    const session = transaction.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', tokenHash);
    return transaction.selectFrom('sessions').select('id').where('id', 'in', session);
  });
}

/** Locks the account of the token, for decisions on all its sessions. */
export function lockUserOfToken(transaction: Transaction, tokenHash: string): Promise<void> {
  return lockRows(transaction, () => {
    const user = transaction
      .selectFrom('refresh_tokens')
      .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
      .select('sessions.user_id')
      .where('token_hash', '=', tokenHash);
    return transaction.selectFrom('users').select('id').where('id', 'in', user);
  });
}

export const findToken = prepareQuery((executor, { tokenHash }: { tokenHash: string }) =>
  executor
    .selectFrom('refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('refresh_tokens')
    .select([
      'sessions.user_id',
      'sessions.revoked_at_ms',
      'sessions.expires_at_ms as session_expires_at_ms',
      'users.password_changed_at_ms',
    ])
    .where('token_hash', '=', tokenHash),
);

/**
 * Maximum number of sessions of an account that have not been ended. A new password ends all of them in one write, which
 * must neither fail nor block others because there are so many.
 */
const maxSessions = 10_000;
/** Maximum number of sessions that a sign-in ends; there may be more beyond the maximum in an older database. */
const endedAtOnce = 100;

/**
 * Inserts a session. Beyond the maximum, sessions of the account that have expired end, otherwise the oldest ones.
 */
export async function addSession(transaction: Transaction, row: SessionRow): Promise<void> {
  const excess = transaction
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', row.user_id)
    .where('revoked_at_ms', 'is', null)
    .orderBy(({ eb }) => eb('expires_at_ms', '>', row.created_at_ms), 'desc')
    .orderBy('id', 'desc')
    .limit(sql.lit(endedAtOnce))
    .offset(sql.lit(maxSessions - 1));
  await revokeSessions(transaction, row.created_at_ms).where('id', 'in', excess).execute();
  await insertSession.run(transaction, row);
}

/** The triggers do not report it as a change, because a session is cached only once it has been used. */
const insertSession = prepareQuery((executor, row: SessionRow) =>
  executor.insertInto('sessions').values({
    id: row.id,
    user_id: row.user_id,
    created_at_ms: row.created_at_ms,
    expires_at_ms: row.expires_at_ms,
    revoked_at_ms: row.revoked_at_ms,
    user_agent: row.user_agent,
  }),
);

/** Returns true if the session exists and has not been revoked. */
export function isSessionUnrevoked(executor: Executor, id: string): Promise<boolean> {
  return exists(executor.selectFrom('sessions').where('id', '=', id).where('revoked_at_ms', 'is', null));
}

/** A session with the expiry of its newest refresh token, or, on the account page, the time of its last use. */
type ListedSession = SessionRow & {
  readonly token_expires_at_ms: number | null;
  readonly last_used_at_ms: number | null;
};

/** Returns the user's unrevoked, unexpired sessions, newest first, at most 200. */
export function listSessions(executor: Executor, userId: string, nowMs: number): Promise<ListedSession[]> {
  return executor
    .selectFrom('sessions')
    .leftJoin('browser_sessions', 'browser_sessions.session_id', 'sessions.id')
    .selectAll('sessions')
    .select('browser_sessions.last_used_at_ms')
    .select(({ selectFrom }) =>
      selectFrom('refresh_tokens')
        .select(({ fn }) => fn.max('expires_at_ms').as('expires_at_ms'))
        .whereRef('session_id', '=', 'sessions.id')
        .as('token_expires_at_ms'),
    )
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .orderBy('id', 'desc')
    .limit(sql.lit(maxListedSessions))
    .execute();
}

const maxListedSessions = 200;

export const insertToken = prepareQuery((executor, row: TokenRow) =>
  executor.insertInto('refresh_tokens').values({
    token_hash: row.token_hash,
    session_id: row.session_id,
    created_at_ms: row.created_at_ms,
    expires_at_ms: row.expires_at_ms,
    used_at_ms: row.used_at_ms,
    successor_hash: row.successor_hash,
    idempotency_key_hash: row.idempotency_key_hash,
    encrypted_successor: row.encrypted_successor,
  }),
);

type TokenUse = Pick<
  TokenRow,
  'token_hash' | 'used_at_ms' | 'successor_hash' | 'idempotency_key_hash' | 'encrypted_successor'
>;

export const markTokenUsed = prepareQuery((executor, use: TokenUse) =>
  executor
    .updateTable('refresh_tokens')
    .set({
      used_at_ms: use.used_at_ms,
      successor_hash: use.successor_hash,
      idempotency_key_hash: use.idempotency_key_hash,
      encrypted_successor: use.encrypted_successor,
    })
    .where('token_hash', '=', use.token_hash),
);

/** Deletes the encrypted copy of a token that the token it replaced still stores, so that it cannot be issued again. */
export const deleteEncryptedCopy = prepareQuery((executor, { tokenHash }: { tokenHash: string }) =>
  executor
    .updateTable('refresh_tokens')
    .set({ encrypted_successor: null, idempotency_key_hash: null })
    .where('successor_hash', '=', tokenHash)
    .where('encrypted_successor', 'is not', null),
);

export const extendSession = prepareQuery((executor, session: { sessionId: string; expiresAtMs: number }) =>
  executor.updateTable('sessions').set({ expires_at_ms: session.expiresAtMs }).where('id', '=', session.sessionId),
);

/** Revokes the sessions that conditions narrow it down to, unless they are revoked already. */
function revokeSessions(transaction: Transaction, nowMs: number) {
  return transaction.updateTable('sessions').set({ revoked_at_ms: nowMs }).where('revoked_at_ms', 'is', null);
}

export async function revokeSession(
  transaction: Transaction,
  { session_id }: Pick<TokenOfSession, 'session_id'>,
  nowMs: number,
): Promise<void> {
  await revokeSessions(transaction, nowMs).where('id', '=', session_id).execute();
}

/** Revokes a session of the user; returns false if the user has no unrevoked session with this id. */
export async function revokeSessionOfUser(
  transaction: Transaction,
  session: { readonly id: string; readonly userId: string },
  nowMs: number,
): Promise<boolean> {
  const result = await revokeSessions(transaction, nowMs)
    .where('id', '=', session.id)
    .where('user_id', '=', session.userId)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Revokes every session of the user except the one to keep, if any. */
export async function revokeSessionsOfUser(
  transaction: Transaction,
  { userId, keptId }: { readonly userId: string; readonly keptId: string | undefined },
  nowMs: number,
): Promise<void> {
  const sessions = revokeSessions(transaction, nowMs).where('user_id', '=', userId);
  await (keptId === undefined ? sessions : sessions.where('id', '!=', keptId)).execute();
}
