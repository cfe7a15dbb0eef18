/**
 * Deletes what an account leaves in any amount, a part at a time. Deleted with the account, in one statement, a million
 * rows would block the database for a minute.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';

type Account = { readonly userId: string; readonly nowMs: number };

type History = {
  readonly table: string;
  readonly key: string;
  /** True for the rows of the account that it does not need any more. */
  readonly isHistory: (account: Account) => RawBuilder<SqlBool>;
};

/** Used tokens come before sessions, which are deleted with their tokens. */
const histories: readonly History[] = [
  {
    table: 'refresh_tokens',
    key: 'token_hash',
    isHistory: ({ userId }) => sql`used_at_ms is not null and encrypted_successor is null
      and session_id in (select id from sessions where user_id = ${userId})`,
  },
  { table: 'device_activity', key: 'device_id', isHistory: ({ userId }) => sql`user_id = ${userId}` },
  {
    table: 'sessions',
    key: 'id',
    isHistory: ({ userId, nowMs }) =>
      sql`user_id = ${userId} and (revoked_at_ms is not null or expires_at_ms <= ${nowMs})`,
  },
];

/** Few enough to be deleted together with the account. */
const few = sql.lit(1000);

/** Deletes a part of the history. */
export type DeletePart = (transaction: Transaction) => Promise<void>;

/** Returns what deletes the next part of the account's history; `undefined` if there is little left. */
export async function findHistory(executor: Executor, account: Account): Promise<DeletePart | undefined> {
  for (const { table: name, key: column, isHistory } of histories) {
    const [table, key, condition] = [sql.table(name), sql.ref(column), isHistory(account)];
    const more = await sql`select 1 from ${table} where ${condition} limit 1 offset ${few}`.execute(executor);
    if (more.rows.length === 0) continue;
    const part = sql`select ${key} from ${table} where ${condition} limit ${few}`;
    const deletion = sql`delete from ${table} where ${condition} and ${key} in (${part})`;
    return async (transaction) => {
      await deletion.execute(transaction);
    };
  }
  return undefined;
}
