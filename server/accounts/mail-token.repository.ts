/** Queries on the tokens of mailed links. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { count } from '../database/queries.ts';
import type { Tables } from '../database/tables.ts';

export type MailTokenRow = Tables['mail_tokens'];

export async function insertMailToken(transaction: Transaction, row: MailTokenRow): Promise<void> {
  await transaction.insertInto('mail_tokens').values(row).execute();
}

export function findMailToken(executor: Executor, tokenHash: string): Promise<MailTokenRow | undefined> {
  return executor.selectFrom('mail_tokens').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

type TokensOfPurpose = Pick<MailTokenRow, 'purpose'> & { readonly userId: string; readonly nowMs: number };

/** Counts the tokens that have not expired. */
export function countMailTokens(executor: Executor, { userId, purpose, nowMs }: TokensOfPurpose): Promise<number> {
  const ofPurpose = executor.selectFrom('mail_tokens').where('user_id', '=', userId).where('purpose', '=', purpose);
  return count(ofPurpose.where('expires_at_ms', '>', nowMs));
}

/** Deletes a token; returns false if it does not exist or has expired. */
export async function deleteMailToken(transaction: Transaction, tokenHash: string, nowMs: number): Promise<boolean> {
  const result = await transaction
    .deleteFrom('mail_tokens')
    .where('token_hash', '=', tokenHash)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes up to `limit` expired tokens, of any account. */
export async function deleteExpiredMailTokens(transaction: Transaction, nowMs: number, limit: number): Promise<void> {
  const expired = transaction
    .selectFrom('mail_tokens')
    .select('token_hash')
    .where('expires_at_ms', '<=', nowMs)
    .orderBy('expires_at_ms')
    .limit(sql.lit(limit));
  await transaction.deleteFrom('mail_tokens').where('token_hash', 'in', expired).execute();
}

/** Deletes every token of the account for this purpose. */
export async function deleteMailTokensOfPurpose(
  transaction: Transaction,
  { userId, purpose }: Omit<TokensOfPurpose, 'nowMs'>,
): Promise<void> {
  await transaction.deleteFrom('mail_tokens').where('user_id', '=', userId).where('purpose', '=', purpose).execute();
}

/** Deletes the tokens of every link that this member of staff has created, of any account. */
export async function deleteMailTokensBy(transaction: Transaction, makerId: string): Promise<void> {
  await transaction.deleteFrom('mail_tokens').where('created_by', '=', makerId).execute();
}

/** Deletes every token of the account. */
export async function deleteMailTokens(transaction: Transaction, userId: string): Promise<void> {
  await transaction.deleteFrom('mail_tokens').where('user_id', '=', userId).execute();
}
