/**
 * Deletes what an account leaves in any amount, a part at a time. Deleted with the account, in one statement, a million
 * rows would block the database for a minute.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';

type Account = { readonly userId: string; readonly nowMs: number };

type History = {
  readonly table: string;
  /** Columns of its key. */
  readonly key: string;
  /** Selects the keys of the rows that the account does not need any more. */
  readonly select: (account: Account) => RawBuilder<unknown>;
};

/** Few enough to be deleted together with the account. */
const few = sql.lit(1000);

const endedSessions = ({ userId, nowMs }: Account) =>
  sql`select id from sessions where user_id = ${userId} and (revoked_at_ms is not null or expires_at_ms <= ${nowMs})`;

/**
 * The tokens of a part of the ended sessions come before these sessions, which are deleted with them. None of the
 * queries reads all sessions, of which there may be as many as tokens.
 */
const histories: readonly History[] = [
  {
    table: 'refresh_tokens',
    key: 'token_hash',
    select: (account) =>
      sql`select token_hash from refresh_tokens where session_id in (${endedSessions(account)} limit ${few})`,
  },
  { table: 'sessions', key: 'id', select: endedSessions },
  {
    table: 'refresh_tokens',
    key: 'token_hash',
    select: ({ userId }) => sql`select token_hash from sessions join refresh_tokens on session_id = id
      where user_id = ${userId} and used_at_ms is not null and encrypted_successor is null`,
  },
  {
    table: 'device_activity',
    key: 'device_id, user_id, network, instance',
    select: ({ userId }) =>
      sql`select device_id, user_id, network, instance from device_activity where user_id = ${userId}`,
  },
];

/** Deletes a part of the history. */
export type DeletePart = (transaction: Transaction) => Promise<void>;

/** Returns what deletes the next part of the account's history; `undefined` if there is little left. */
export async function findHistory(executor: Executor, account: Account): Promise<DeletePart | undefined> {
  for (const { table, key, select } of histories) {
    const rows = select(account);
    const more = await sql`${rows} limit 1 offset ${few}`.execute(executor);
    if (more.rows.length === 0) continue;
    const deletion = sql`delete from ${sql.table(table)} where (${sql.raw(key)}) in (${rows} limit ${few})`;
    return async (transaction) => {
      await deletion.execute(transaction);
    };
  }
  return undefined;
}
