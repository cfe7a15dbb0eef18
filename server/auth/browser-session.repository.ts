/** Queries on the sessions of the account page. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

type BrowserSessionRow = Tables['browser_sessions'];

/** A session that has not ended. */
type OwnedBrowserSession = Pick<Tables['sessions'], 'id' | 'user_id' | 'expires_at_ms'> &
  Pick<BrowserSessionRow, 'last_used_at_ms'>;

export function findBrowserSession(executor: Executor, tokenHash: string): Promise<OwnedBrowserSession | undefined> {
  return executor
    .selectFrom('browser_sessions')
    .innerJoin('sessions', 'sessions.id', 'browser_sessions.session_id')
    .select(['sessions.id', 'sessions.user_id', 'sessions.expires_at_ms', 'browser_sessions.last_used_at_ms'])
    .where('browser_sessions.token_hash', '=', tokenHash)
    .where('sessions.revoked_at_ms', 'is', null)
    .executeTakeFirst();
}

export async function insertBrowserSession(transaction: Transaction, row: BrowserSessionRow): Promise<void> {
  await transaction.insertInto('browser_sessions').values(row).execute();
}

export async function updateLastUse(transaction: Transaction, sessionId: string, nowMs: number): Promise<void> {
  await transaction
    .updateTable('browser_sessions')
    .set({ last_used_at_ms: nowMs })
    .where('session_id', '=', sessionId)
    .execute();
}
