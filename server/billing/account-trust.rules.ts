/** Whose account a purchase is for, where only the email that its buyer typed says so. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { Account } from '../accounts/account.ts';
import { belongsToReader } from '../accounts/email-recipient.rules.ts';
import type { SubscriptionChange } from './billing-event.ts';

/** Whether the account with the email of the change is its buyer's. */
export function isTrusted(account: Account, { accountEmail }: Pick<SubscriptionChange, 'accountEmail'>): boolean {
  return accountEmail !== undefined || belongsToReader(account);
}

/**
 * Some providers know a customer by the email alone, which anybody can type who pays for an account of their own: then what
 * the real owner of that email buys later must not go there.
 */
export function isCustomer(account: Account, typedEmail: string | undefined): boolean {
  if (typedEmail === undefined) return true;
  return account.emailConfirmedAtMs !== undefined && hasEmail(account, typedEmail);
}

export function hasEmail(account: Account, email: string | undefined): boolean {
  return email !== undefined && parseEmail(email)?.key === parseEmail(account.email)?.key;
}
