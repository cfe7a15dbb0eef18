/** How the account's subscription, license and activations are described. */
import type { Subscription } from '../../shared/api/subscription.ts';
import { renewsAtEnd } from '../../shared/ipc/ends-soon.ts';
import type { SharedTranslate } from './shared-messages.ts';

/** A status that is not in the interface is shown as it is, capitalized. */
export function subscriptionStatus(status: string, t: SharedTranslate): string {
  return t.find(`subscriptionStatus.${status}`) ?? capitalized(status);
}

/** As `subscriptionStatus`. */
export function licenseStatus(status: string, t: SharedTranslate): string {
  return t.find(`licenseStatus.${status}`) ?? capitalized(status);
}

/** What happens at the end of the current period; `ended` if it is over. `now` in milliseconds since the epoch. */
export function periodEndKind(subscription: Subscription, now: number): 'renews' | 'ends' | 'ended' {
  if (Date.parse(subscription.current_period_end) <= now) return 'ended';
  return renewsAtEnd(subscription) ? 'renews' : 'ends';
}

function capitalized(status: string): string {
  const text = status.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** How many devices a license is activated on, and its device limit. */
export type ActivationCount = { readonly used: number; readonly max: number };

/** `null` if the device limit is not known. */
export function activationCount(
  license: { readonly activations: number; readonly maxActivations: number } | null,
): ActivationCount | null {
  if (license === null || license.maxActivations === 0) return null;
  return { used: license.activations, max: license.maxActivations };
}
