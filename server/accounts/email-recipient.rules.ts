/** Whether staff may give an account something because of its address. */
import type { Account } from './account.ts';

/**
 * Anybody can sign up with the address of somebody else. Nobody can sign in to an account that has no password: the first to
 * do so reads the mail of that address. On a server that sends no mail nobody can confirm an address, so all of them count.
 */
export function mayReceiveByEmail(
  { hasPassword, emailConfirmedAtMs }: Pick<Account, 'hasPassword' | 'emailConfirmedAtMs'>,
  { sendsMail }: { readonly sendsMail: boolean },
): boolean {
  return !sendsMail || !hasPassword || emailConfirmedAtMs !== undefined;
}
