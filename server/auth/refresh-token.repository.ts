/** Queries on refresh tokens and their sessions. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareQuery } from '../database/prepared-query.ts';
import { lockRows } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type SessionRow = Tables['sessions'];
export type TokenRow = Tables['refresh_tokens'];

/** A token with what its session and the user say. */
export type TokenOfSession = TokenRow &
  Pick<SessionRow, 'user_id' | 'revoked_at_ms'> &
  Pick<Tables['users'], 'password_changed_at_ms'> & { readonly session_expires_at_ms: number };

/** What an access token is issued for. */
export type AccessGrant = {
  readonly userId: string;
  /** The session that it belongs to. */
  readonly sessionId: string;
  /** When the account's password was last changed at the time of issue. Any other time means that it was changed since. */
  readonly passwordChangedAtMs: number;
};

/** Nobody else rotates a token of the session of this token, or ends the session, until the transaction ends. */
export function lockSessionOfToken(transaction: Transaction, tokenHash: string): Promise<void> {
  return lockRows(transaction, () => {
    const session = transaction.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', tokenHash);
    return transaction.selectFrom('sessions').select('id').where('id', 'in', session);
  });
}

export function findToken(executor: Executor, tokenHash: string): Promise<TokenOfSession | undefined> {
  return findTokenQuery.first(executor, { tokenHash });
}

const findTokenQuery = prepareQuery((executor, { tokenHash }: { tokenHash: string }) =>
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

/** The triggers do not note an inserted session: a session is cached only once it has been used. */
export async function insertSession(transaction: Transaction, row: SessionRow): Promise<void> {
  await insertSessionQuery.run(transaction, row);
}

const insertSessionQuery = prepareQuery((executor, row: SessionRow) =>
  executor.insertInto('sessions').values({
    id: row.id,
    user_id: row.user_id,
    created_at_ms: row.created_at_ms,
    expires_at_ms: row.expires_at_ms,
    revoked_at_ms: row.revoked_at_ms,
    user_agent: row.user_agent,
  }),
);

/** A session: with refresh tokens, when the newest one expires; of the account page, when it was last used. */
export type ListedSession = SessionRow & {
  readonly token_expires_at_ms: number | null;
  readonly last_used_at_ms: number | null;
};

/** The sessions of the user that were not ended, newest first. */
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

export async function insertToken(transaction: Transaction, row: TokenRow): Promise<void> {
  await insertTokenQuery.run(transaction, row);
}

const insertTokenQuery = prepareQuery((executor, row: TokenRow) =>
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

type TokenUse = Pick<TokenRow, 'used_at_ms' | 'successor_hash' | 'idempotency_key_hash' | 'encrypted_successor'>;

export async function markTokenUsed(transaction: Transaction, tokenHash: string, use: TokenUse): Promise<void> {
  await markTokenUsedQuery.run(transaction, { ...use, tokenHash });
}

const markTokenUsedQuery = prepareQuery((executor, use: TokenUse & { tokenHash: string }) =>
  executor
    .updateTable('refresh_tokens')
    .set({
      used_at_ms: use.used_at_ms,
      successor_hash: use.successor_hash,
      idempotency_key_hash: use.idempotency_key_hash,
      encrypted_successor: use.encrypted_successor,
    })
    .where('token_hash', '=', use.tokenHash),
);

/** Deletes the encrypted copy of a token from the one that it replaced, so that it cannot be issued again. */
export async function deleteEncryptedCopy(transaction: Transaction, tokenHash: string): Promise<void> {
  await deleteCopyQuery.run(transaction, { tokenHash });
}

const deleteCopyQuery = prepareQuery((executor, { tokenHash }: { tokenHash: string }) =>
  executor
    .updateTable('refresh_tokens')
    .set({ encrypted_successor: null, idempotency_key_hash: null })
    .where('successor_hash', '=', tokenHash)
    .where('encrypted_successor', 'is not', null),
);

export async function extendSession(transaction: Transaction, sessionId: string, expiresAtMs: number): Promise<void> {
  await extendSessionQuery.run(transaction, { sessionId, expiresAtMs });
}

const extendSessionQuery = prepareQuery((executor, session: { sessionId: string; expiresAtMs: number }) =>
  executor.updateTable('sessions').set({ expires_at_ms: session.expiresAtMs }).where('id', '=', session.sessionId),
);

export async function revokeSession(
  transaction: Transaction,
  { session_id }: Pick<TokenOfSession, 'session_id'>,
  nowMs: number,
): Promise<void> {
  const session = transaction
    .updateTable('sessions')
    .set({ revoked_at_ms: nowMs })
    .where('id', '=', session_id)
    .where('revoked_at_ms', 'is', null);
  await session.execute();
}

/** Revokes a session of the user; false where the user has none with this id that was not revoked before. */
export async function revokeSessionOfUser(
  transaction: Transaction,
  session: { readonly id: string; readonly userId: string },
  nowMs: number,
): Promise<boolean> {
  const result = await transaction
    .updateTable('sessions')
    .set({ revoked_at_ms: nowMs })
    .where('id', '=', session.id)
    .where('user_id', '=', session.userId)
    .where('revoked_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Revokes every session of the user, but for one to be kept. */
export async function revokeSessionsOfUser(
  transaction: Transaction,
  { userId, keptId = '' }: { readonly userId: string; readonly keptId?: string },
  nowMs: number,
): Promise<void> {
  const sessions = transaction
    .updateTable('sessions')
    .set({ revoked_at_ms: nowMs })
    .where('user_id', '=', userId)
    .where('id', '!=', keptId)
    .where('revoked_at_ms', 'is', null);
  await sessions.execute();
}
