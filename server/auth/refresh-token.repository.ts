/** Queries on refresh tokens and their families. */
import { sql } from 'kysely';
import type { Executor, Transaction } from '../database/database.ts';
import { prepareLock, prepareQuery } from '../database/prepared-query.ts';
import { postpone } from '../database/row-locks.ts';
import type { Tables } from '../database/tables.ts';

export type FamilyRow = Tables['refresh_families'];
export type TokenRow = Tables['refresh_tokens'];

/** A token with what its family and the user say. */
export type TokenInFamily = TokenRow &
  Pick<FamilyRow, 'user_id' | 'revoked_at_ms'> &
  Pick<Tables['users'], 'password_changed_at_ms'> & { readonly family_expires_at_ms: number };

/** What an access token is issued for. */
export type AccessGrant = {
  readonly userId: string;
  /** The token family of the session that it belongs to. */
  readonly sessionId: string;
  /** When the account's password was last changed at the time of issue. Any other time means that it was changed since. */
  readonly passwordChangedAtMs: number;
};

/** Nobody else rotates a token of the family of this token, or ends the family, until the transaction ends. */
export function lockFamilyOfToken(transaction: Transaction, tokenHash: string): Promise<void> {
  return lockFamily(transaction, { tokenHash });
}

const lockFamily = prepareLock((executor, { tokenHash }: { tokenHash: string }) => {
  const family = executor.selectFrom('refresh_tokens').select('family_id').where('token_hash', '=', tokenHash);
  return executor.selectFrom('refresh_families').select('id').where('id', 'in', family);
});

export function findToken(executor: Executor, tokenHash: string): Promise<TokenInFamily | undefined> {
  return tokenByHash.first(executor, { tokenHash });
}

const tokenByHash = prepareQuery((executor, { tokenHash }: { tokenHash: string }) =>
  executor
    .selectFrom('refresh_tokens')
    .innerJoin('refresh_families', 'refresh_families.id', 'refresh_tokens.family_id')
    .innerJoin('users', 'users.id', 'refresh_families.user_id')
    .selectAll('refresh_tokens')
    .select([
      'refresh_families.user_id',
      'refresh_families.revoked_at_ms',
      'refresh_families.expires_at_ms as family_expires_at_ms',
      'users.password_changed_at_ms',
    ])
    .where('token_hash', '=', tokenHash),
);

/** No account is declared as changed: a session is cached only once it has been used. */
export async function insertFamily(transaction: Transaction, row: FamilyRow): Promise<void> {
  await newFamily.postpone(transaction, row);
}

const newFamily = prepareQuery((executor, row: FamilyRow) =>
  executor.insertInto('refresh_families').values({
    id: row.id,
    user_id: row.user_id,
    created_at_ms: row.created_at_ms,
    expires_at_ms: row.expires_at_ms,
    revoked_at_ms: row.revoked_at_ms,
    user_agent: row.user_agent,
  }),
);

/** A session, with when its newest token expires: null if it has none. */
export type ListedFamily = FamilyRow & { readonly token_expires_at_ms: number | null };

/** The sessions of the user that were not ended, newest first. */
export function listFamilies(executor: Executor, userId: string, nowMs: number): Promise<ListedFamily[]> {
  return executor
    .selectFrom('refresh_families')
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom('refresh_tokens')
        .select(({ fn }) => fn.max('expires_at_ms').as('expires_at_ms'))
        .whereRef('family_id', '=', 'refresh_families.id')
        .as('token_expires_at_ms'),
    )
    .where('user_id', '=', userId)
    .where('revoked_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .orderBy('id', 'desc')
    .limit(sql.lit(maxListedFamilies))
    .execute();
}

const maxListedFamilies = 200;

export async function insertToken(transaction: Transaction, row: TokenRow): Promise<void> {
  await newToken.postpone(transaction, row);
}

const newToken = prepareQuery((executor, row: TokenRow) =>
  executor.insertInto('refresh_tokens').values({
    token_hash: row.token_hash,
    family_id: row.family_id,
    created_at_ms: row.created_at_ms,
    expires_at_ms: row.expires_at_ms,
    used_at_ms: row.used_at_ms,
    child_hash: row.child_hash,
    retry_key_hash: row.retry_key_hash,
    sealed_child: row.sealed_child,
  }),
);

type TokenUse = Pick<TokenRow, 'used_at_ms' | 'child_hash' | 'retry_key_hash' | 'sealed_child'>;

export async function markTokenUsed(transaction: Transaction, tokenHash: string, use: TokenUse): Promise<void> {
  await tokenUse.postpone(transaction, { ...use, tokenHash });
}

const tokenUse = prepareQuery((executor, use: TokenUse & { tokenHash: string }) =>
  executor
    .updateTable('refresh_tokens')
    .set({
      used_at_ms: use.used_at_ms,
      child_hash: use.child_hash,
      retry_key_hash: use.retry_key_hash,
      sealed_child: use.sealed_child,
    })
    .where('token_hash', '=', use.tokenHash),
);

/** Deletes the encrypted copy of a token from the one that it replaced, so that it cannot be issued again. */
export async function deleteEncryptedCopy(transaction: Transaction, tokenHash: string): Promise<void> {
  await withoutCopy.postpone(transaction, { tokenHash });
}

const withoutCopy = prepareQuery((executor, { tokenHash }: { tokenHash: string }) =>
  executor
    .updateTable('refresh_tokens')
    .set({ sealed_child: null, retry_key_hash: null })
    .where('child_hash', '=', tokenHash)
    .where('sealed_child', 'is not', null),
);

export async function extendFamily(transaction: Transaction, familyId: string, expiresAtMs: number): Promise<void> {
  await familyExpiry.postpone(transaction, { familyId, expiresAtMs });
}

const familyExpiry = prepareQuery((executor, family: { familyId: string; expiresAtMs: number }) =>
  executor.updateTable('refresh_families').set({ expires_at_ms: family.expiresAtMs }).where('id', '=', family.familyId),
);

export async function revokeFamily(
  transaction: Transaction,
  { family_id }: Pick<TokenInFamily, 'family_id'>,
  nowMs: number,
): Promise<void> {
  const family = transaction
    .updateTable('refresh_families')
    .set({ revoked_at_ms: nowMs })
    .where('id', '=', family_id)
    .where('revoked_at_ms', 'is', null);
  await postpone(transaction, family);
}

/** Revokes a family of the user; false where the user has none with this id that was not revoked before. */
export async function revokeFamilyOfUser(
  transaction: Transaction,
  family: { readonly id: string; readonly userId: string },
  nowMs: number,
): Promise<boolean> {
  const result = await transaction
    .updateTable('refresh_families')
    .set({ revoked_at_ms: nowMs })
    .where('id', '=', family.id)
    .where('user_id', '=', family.userId)
    .where('revoked_at_ms', 'is', null)
    .where('expires_at_ms', '>', nowMs)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Revokes every family of the user, but for one to be kept. */
export async function revokeFamiliesOfUser(
  transaction: Transaction,
  { userId, keptId = '' }: { readonly userId: string; readonly keptId?: string },
  nowMs: number,
): Promise<void> {
  const families = transaction
    .updateTable('refresh_families')
    .set({ revoked_at_ms: nowMs })
    .where('user_id', '=', userId)
    .where('id', '!=', keptId)
    .where('revoked_at_ms', 'is', null);
  await postpone(transaction, families);
}
