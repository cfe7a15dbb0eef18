/** The account types of the services, and conversions from and to rows. */
import type { ApiKeyRecord } from '../../shared/api/admin/accounts.ts';
import type { User } from '../../shared/api/auth.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import type { Transaction } from '../database/database.ts';
import type { UserRow } from './account.repository.ts';

/** An account as admins see it. */
export type Account = User & {
  readonly createdAtMs: number;
  readonly passwordChangedAtMs: number;
  readonly hasPassword: boolean;
  /**
   * Time of confirmation; `undefined` if nobody has proved to receive mail at the address and no admin vouched for it
   * by creating or importing the account.
   */
  readonly emailConfirmedAtMs: number | undefined;
  /** Id of the other member of staff who may know the password, and may be gone; `undefined` if nobody does. */
  readonly passwordSetBy: string | undefined;
};

/** A valid account that is not yet in the database. */
export type NewAccount = {
  readonly user: User;
  readonly emailKey: string;
  readonly passwordHash: string;
  readonly createdAtMs: number;
  /** True if an admin vouches for the address. */
  readonly isEmailConfirmed?: boolean;
  /** Id of the member of staff who chose the password. */
  readonly passwordSetBy?: string | undefined;
};

/** Ends every session of a user except the one to keep. */
export type EndSessions = (transaction: Transaction, userId: string, keptId?: string) => Promise<void>;

export type RevokedKey = Pick<ApiKeyRecord, 'api_key_prefix'>;

/** Revokes the API key of a user; resolves to `undefined` if there is none. */
export type RevokeApiKey = (
  transaction: Transaction,
  userId: string,
  options: { readonly by: AuditContext },
) => Promise<RevokedKey | undefined>;

/** Stored instead of a hash for an account that has no password yet. */
export const noPassword = '';

/** Converts a new account to its row. */
export function toRow(account: NewAccount): UserRow {
  const { user, emailKey, passwordHash, createdAtMs, isEmailConfirmed = false, passwordSetBy = null } = account;
  return {
    ...user,
    email_key: emailKey,
    password_hash: passwordHash,
    created_at_ms: createdAtMs,
    password_changed_at_ms: createdAtMs,
    email_confirmed_at_ms: isEmailConfirmed ? createdAtMs : null,
    password_set_by: passwordSetBy,
  };
}

/** Converts a row to the account. */
export function toAccount(row: UserRow): Account {
  return {
    ...toUser(row),
    createdAtMs: row.created_at_ms,
    passwordChangedAtMs: row.password_changed_at_ms,
    hasPassword: row.password_hash !== noPassword,
    emailConfirmedAtMs: row.email_confirmed_at_ms ?? undefined,
    passwordSetBy: row.password_set_by ?? undefined,
  };
}

/** Converts a row to the account as the API returns it. */
export function toUser(row: UserRow): User {
  return { id: row.id, email: row.email, full_name: row.full_name };
}
