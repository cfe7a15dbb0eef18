/** Describes the account's subscription, license and activations. */
import type { Subscription } from '../../shared/api/subscription.ts';
import type { AccountState } from '../../shared/ipc/app-state.ts';
import { renewsAtEnd } from '../../shared/ipc/ends-soon.ts';
import type { SharedTranslate } from './shared-messages.ts';

/** Returns the name of a status; an unknown one is shown capitalized. */
export function subscriptionStatus(status: string, t: SharedTranslate): string {
  return t.find(`subscriptionStatus.${status}`) ?? capitalized(status);
}

/** Like `subscriptionStatus`, for a license. */
export function licenseStatus(status: string, t: SharedTranslate): string {
  return t.find(`licenseStatus.${status}`) ?? capitalized(status);
}

/** Returns what happens at the end of the current period; `ended` if it is over. `now` is in ms since 1970. */
export function periodEndKind(subscription: Subscription, now: number): 'renews' | 'ends' | 'ended' {
  if (Date.parse(subscription.current_period_end) <= now) return 'ended';
  return renewsAtEnd(subscription) ? 'renews' : 'ends';
}

/** Returns whether it gives no access any more; a canceled one gives none even before its period ends. */
export function isOver({ status, current_period_end }: Subscription, now: number): boolean {
  return status === 'canceled' || status === 'expired' || Date.parse(current_period_end) <= now;
}

/** Like `periodEndKind`; `null` if it is over although its period goes on, so that nothing happens at the end. */
export function shownPeriodEnd(subscription: Subscription, now: number): ReturnType<typeof periodEndKind> | null {
  const kind = periodEndKind(subscription, now);
  return kind !== 'ended' && isOver(subscription, now) ? null : kind;
}

function capitalized(status: string): string {
  const text = status.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Number of devices on which a license is activated, and its device limit. */
export type ActivationCount = { readonly used: number; readonly max: number };

/** Returns the count; `null` if the device limit is unknown. */
export function activationCount(
  license: { readonly activations: number; readonly maxActivations: number } | null,
): ActivationCount | null {
  if (license === null || license.maxActivations === 0) return null;
  return { used: license.activations, max: license.maxActivations };
}

/**
 * Returns the count while it is above the limit, such as after a change to a smaller plan; otherwise `null`. The license
 * keeps its own limit then, and one of the same plan may have been given another limit than the plan's.
 */
export function activationExcess(
  { subscription, license, features }: AccountState,
  now: number,
): ActivationCount | null {
  const count = activationCount(license);
  if (count === null || license?.status !== 'active' || (subscription !== null && isOver(subscription, now)))
    return null;
  const isOfOtherPlan = subscription !== null && subscription.plan !== license.plan;
  const max = isOfOtherPlan ? Math.min(count.max, features.max_devices) : count.max;
  return count.used > max ? { used: count.used, max } : null;
}
