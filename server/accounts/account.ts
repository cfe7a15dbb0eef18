/** An account as the services know it, and as its row. */
import type { User } from '../../shared/api/auth.ts';
import type { Transaction } from '../database/database.ts';
import type { UserRow } from './account.repository.ts';

/** An account as an admin sees it. */
export type Account = User & {
  readonly createdAtMs: number;
  readonly passwordChangedAtMs: number;
  readonly hasPassword: boolean;
  /** `undefined` if nobody has proved to read mail to the address, and no admin vouched for it by creating or importing the account. */
  readonly emailConfirmedAtMs: number | undefined;
  /** Whether support may know the password. */
  readonly isPasswordFromSupport: boolean;
};

/** A valid account that is not in the database yet. */
export type NewAccount = {
  readonly user: User;
  readonly emailKey: string;
  readonly passwordHash: string;
  readonly createdAtMs: number;
  /** Whether an admin vouches for the address. */
  readonly isEmailConfirmed?: boolean;
};

/** Ends every session of a user, but for one to be kept. */
export type EndSessions = (transaction: Transaction, userId: string, keptId?: string) => Promise<void>;

/** Stored in place of a hash for an account that has no password yet. */
export const noPassword = '';

/** The row of a new account. */
export function toRow({ user, emailKey, passwordHash, createdAtMs, isEmailConfirmed = false }: NewAccount): UserRow {
  return {
    ...user,
    email_key: emailKey,
    password_hash: passwordHash,
    created_at_ms: createdAtMs,
    password_changed_at_ms: createdAtMs,
    email_confirmed_at_ms: isEmailConfirmed ? createdAtMs : null,
    support_set_password_at_ms: null,
  };
}

/** The account of a row. */
export function toAccount(row: UserRow): Account {
  return {
    ...toUser(row),
    createdAtMs: row.created_at_ms,
    passwordChangedAtMs: row.password_changed_at_ms,
    hasPassword: row.password_hash !== noPassword,
    emailConfirmedAtMs: row.email_confirmed_at_ms ?? undefined,
    isPasswordFromSupport: row.support_set_password_at_ms !== null,
  };
}

/** What the interface tells of an account. */
export function toUser(row: UserRow): User {
  return { id: row.id, email: row.email, full_name: row.full_name };
}
