/** Finds what ends soon while everything still works, from the state alone, so that the user can act in time. Pure. */
import type { Subscription } from '../api/subscription.ts';
import type { AppState, Timestamp } from './app-state.ts';
import type { Settings } from './settings.ts';

/** Nothing works without the server after that, and it is unreachable. */
type OfflineUseEnding = { readonly kind: 'offline-use'; readonly at: Timestamp };

export type SubscriptionEnding = {
  /** `payment`: the last payment has failed, so it ends unless a later one succeeds. The others do not renew. */
  readonly kind: 'subscription' | 'trial' | 'payment';
  readonly at: Timestamp;
};

export type Ending = OfflineUseEnding | SubscriptionEnding;

type Known = Pick<AppState, 'license' | 'lease' | 'session'>;

/** A day, in milliseconds. */
export const dayMs = 86_400_000;
const subscriptionNotice = 7 * dayMs;
/** Shorter for short leases. */
const offlineNotice = 2 * dayMs;
const partOfLease = 1 / 4;

/** Excludes what is already over; empty if nothing works anyway. `now` is in ms since 1970. */
export function endsSoon(app: Known, now: number): readonly Ending[] {
  if (app.license.kind !== 'works' && app.license.kind !== 'offline') return [];
  return [...offlineUseEnd(app, now), ...subscriptionEnd(app, now)];
}

/** Like `endsSoon`, for the subscription alone. */
export function subscriptionEndsSoon(app: Known, now: number): SubscriptionEnding | undefined {
  return endsSoon(app, now).find((ending) => ending.kind !== 'offline-use');
}

/** Returns whether a subscription continues after its current period, as far as is known now. */
export function renewsAtEnd({ status, cancel_at_period_end }: Subscription): boolean {
  return status === 'active' && !cancel_at_period_end;
}

/**
 * Returns whether the user wants to be reminded of it later. A reminder that would come too late does not count, nor one
 * further ahead than any that the app sets: the clock was wrong when it was set.
 */
export function isPostponed({ at }: SubscriptionEnding, remindAt: Settings['remindAt'], now: number): boolean {
  if (remindAt === undefined) return false;
  const remindAtMs = Date.parse(remindAt);
  return now < remindAtMs && remindAtMs <= now + 2 * dayMs && remindAtMs < Date.parse(at);
}

/** None with a session and a reachable server, because offline use is then extended automatically. */
function offlineUseEnd({ license, lease, session }: Known, now: number): readonly Ending[] {
  const isCutOff = license.kind === 'offline' || session.kind === 'signed-out';
  if (!isCutOff || !('worksUntil' in license) || license.worksUntil === null) return [];
  const { issuedAt, expiresAt } = lease;
  const isLeased = lease.state === 'good' && issuedAt !== null && expiresAt !== null;
  const lifetime = isLeased ? Date.parse(expiresAt) - Date.parse(issuedAt) : Number.POSITIVE_INFINITY;
  const notice = Math.min(offlineNotice, lifetime * partOfLease);
  return isWithin(license.worksUntil, now, notice) ? [{ kind: 'offline-use', at: license.worksUntil }] : [];
}

function subscriptionEnd({ session }: Known, now: number): readonly Ending[] {
  const subscription = session.kind === 'signed-in' ? (session.account?.subscription ?? null) : null;
  if (subscription === null || renewsAtEnd(subscription)) return [];
  const at = subscription.current_period_end;
  const kind = subscriptionEndKind(subscription);
  // There is no need to wait with making up for a payment.
  const notice = kind === 'payment' ? Number.POSITIVE_INFINITY : subscriptionNotice;
  return isWithin(at, now, notice) ? [{ kind, at }] : [];
}

/** Returns what a subscription's end is, if it does not renew. */
export function subscriptionEndKind({ status, cancel_at_period_end }: Subscription): SubscriptionEnding['kind'] {
  if (status === 'trialing') return 'trial';
  return status === 'past_due' && !cancel_at_period_end ? 'payment' : 'subscription';
}

function isWithin(instant: Timestamp, now: number, notice: number): boolean {
  const left = Date.parse(instant) - now;
  return left > 0 && left <= notice;
}
