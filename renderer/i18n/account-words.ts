/** The subscription and the license of the account in words. */
import type { Subscription } from '../../shared/api/subscription.ts';
import { en } from './locales/en.ts';
import type { Translate } from './use-sentences.ts';

type SubscriptionStatus = keyof typeof en.account.subscriptionStatus;
type LicenseStatus = keyof typeof en.account.licenseStatus;

/** A status that another server made up reads as it was named, with a capital. */
export function subscriptionStatus(status: string, t: Translate): string {
  if (!Object.hasOwn(en.account.subscriptionStatus, status)) return capitalised(status);
  return t(`account.subscriptionStatus.${status as SubscriptionStatus}`);
}

export function licenseStatus(status: string, t: Translate): string {
  if (!Object.hasOwn(en.account.licenseStatus, status)) return capitalised(status);
  return t(`account.licenseStatus.${status as LicenseStatus}`);
}

/** What happens, or has happened, when the current period is over. */
export function atPeriodEnd(subscription: Subscription, now: number): 'renews' | 'ends' | 'ended' {
  if (Date.parse(subscription.current_period_end) <= now) return 'ended';
  const goesOn = subscription.status === 'active' || subscription.status === 'past_due';
  return goesOn && !subscription.cancel_at_period_end ? 'renews' : 'ends';
}

function capitalised(status: string): string {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
