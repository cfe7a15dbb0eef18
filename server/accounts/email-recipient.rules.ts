/** Rules for giving something to an account because of its email address. */
import type { Config } from '../settings/config.ts';
import type { Account } from './account.ts';

type Address = Pick<Account, 'hasPassword' | 'emailConfirmedAtMs'>;

/**
 * Returns true if the account belongs to the person who reads the mail of its address. Anyone can sign up with someone
 * else's address, but nobody can sign in to an account without a password: the first to do so reads that mail.
 */
export function belongsToReader({ hasPassword, emailConfirmedAtMs }: Address): boolean {
  return !hasPassword || emailConfirmedAtMs !== undefined;
}

/**
 * Returns true if staff may address the account by its email. A server without mail cannot confirm addresses, so there
 * every account qualifies.
 */
export function mayReceiveByEmail(account: Address, { mail }: Pick<Config, 'mail'>): boolean {
  return mail === undefined || belongsToReader(account);
}
