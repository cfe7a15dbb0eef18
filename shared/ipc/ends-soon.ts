/** Finds what ends soon while everything still works, from the state alone, so that the user can act in time. Pure. */
import type { Subscription } from '../api/subscription.ts';
import type { AppState, Timestamp } from './app-state.ts';
import type { Settings } from './settings.ts';

export type Ending = {
  /**
   * `offline-use`: nothing works without the server after that, and it is unreachable. `subscription`: it does not
   * renew.
   */
  readonly kind: 'offline-use' | 'subscription';
  readonly at: Timestamp;
};

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

/**
 * True if the user wants to be reminded later than now. A time further ahead than any that the app sets does not count:
 * the clock was wrong when it was set.
 */
export function isPostponed(remindAt: Settings['remindAt'], now: number): boolean {
  const left = Date.parse(remindAt ?? '') - now;
  return left > 0 && left <= 2 * dayMs;
}

/** Returns whether a subscription continues after its current period. */
export function renewsAtEnd({ status, cancel_at_period_end }: Subscription): boolean {
  return (status === 'active' || status === 'past_due') && !cancel_at_period_end;
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
  return isWithin(at, now, subscriptionNotice) ? [{ kind: 'subscription', at }] : [];
}

function isWithin(instant: Timestamp, now: number, notice: number): boolean {
  const left = Date.parse(instant) - now;
  return left > 0 && left <= notice;
}
