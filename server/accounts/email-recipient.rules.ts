/** Whether an account may be given something because of its address. */
import type { Account } from './account.ts';

type Address = Pick<Account, 'hasPassword' | 'emailConfirmedAtMs'>;

/**
 * Anybody can sign up with the address of somebody else. Nobody can sign in to an account that has no password: the first to
 * do so reads the mail of that address.
 */
export function belongsToReader({ hasPassword, emailConfirmedAtMs }: Address): boolean {
  return !hasPassword || emailConfirmedAtMs !== undefined;
}

/** By staff. On a server that sends no mail nobody can confirm an address, so all of them count. */
export function mayReceiveByEmail(account: Address, { sendsMail }: { readonly sendsMail: boolean }): boolean {
  return !sendsMail || belongsToReader(account);
}
