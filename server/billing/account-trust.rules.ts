/** Decides whose account a purchase is for, when only the email typed by the buyer links it to one. */
import { parseEmail } from '../../shared/formats/email.ts';
import type { Account } from '../accounts/account.ts';
import { belongsToReader } from '../accounts/email-recipient.rules.ts';
import type { SubscriptionChange } from './billing-event.ts';

/** Returns true if the account with the change's email can be assumed to be the buyer's. */
export function isTrusted(account: Account, { accountEmail }: Pick<SubscriptionChange, 'accountEmail'>): boolean {
  return accountEmail !== undefined || belongsToReader(account);
}

/**
 * Returns true if the provider's customer may be bound to the account. Some providers identify a customer only by the
 * email, and anybody can type any email when paying for their own account: what the real owner of that email buys later
 * must not go to that account.
 */
export function isCustomer(account: Account, typedEmail: string | undefined): boolean {
  if (typedEmail === undefined) return true;
  return account.emailConfirmedAtMs !== undefined && hasEmail(account, typedEmail);
}

export function hasEmail(account: Account, email: string | undefined): boolean {
  return email !== undefined && parseEmail(email)?.key === parseEmail(account.email)?.key;
}
