/** An approaching end is announced in time, and nothing is announced that will not end or has already ended. */
import { describe, expect, it } from 'vitest';
import type { AppState } from '../../../shared/ipc/app-state.ts';
import { endsSoon, isPostponed } from '../../../shared/ipc/ends-soon.ts';
import { filledState, from, leasedState, offlineState } from '../../renderer/sample-states.ts';

const now = Date.parse('2026-03-02T12:00:00Z');
const hour = 3_600_000;
const day = 24 * hour;
const kindsOf = (state: AppState) => endsSoon(state, now).map(({ kind }) => kind);

describe('the end of a subscription', () => {
  const withEnd = (offset: number, more = {}): AppState => {
    const state = filledState(now);
    if (state.session.kind !== 'signed-in' || state.session.account === null) throw new Error('not signed in');
    const subscription = state.session.account.subscription;
    if (subscription === null) throw new Error('no subscription');
    const ending = { cancel_at_period_end: true, current_period_end: from(now, offset), ...more };
    const account = { ...state.session.account, subscription: { ...subscription, ...ending } };
    return { ...state, session: { ...state.session, account } };
  };

  it('is announced in its last seven days, and not once it is over', () => {
    expect(kindsOf(withEnd(8 * day))).toEqual([]);
    expect(kindsOf(withEnd(7 * day))).toEqual(['subscription']);
    expect(kindsOf(withEnd(0))).toEqual([]);
  });

  it('is announced for a trial, but not for a subscription that renews', () => {
    expect(kindsOf(withEnd(day, { cancel_at_period_end: false }))).toEqual([]);
    expect(kindsOf(withEnd(day, { cancel_at_period_end: false, status: 'trialing' }))).toEqual(['trial']);
  });

  it('is announced as soon as a payment has failed, unless it was canceled anyway', () => {
    const failed = { status: 'past_due', cancel_at_period_end: false };
    expect(kindsOf(withEnd(30 * day, failed))).toEqual(['payment']);
    expect(kindsOf(withEnd(0, failed))).toEqual([]);
    expect(kindsOf(withEnd(day, { ...failed, cancel_at_period_end: true }))).toEqual(['subscription']);
  });

  it('is postponed until the user wants to be reminded, but not past its date', () => {
    const ending = { kind: 'subscription', at: from(now, 12 * hour) } as const;
    expect(isPostponed(ending, undefined, now)).toBe(false);
    expect(isPostponed(ending, from(now, 6 * hour), now)).toBe(true);
    expect(isPostponed(ending, from(now, 0), now)).toBe(false);
    expect(isPostponed(ending, from(now, 20 * hour), now)).toBe(false);
  });

  it('is not announced if nothing works anyway', () => {
    expect(kindsOf({ ...withEnd(day), license: { kind: 'blocked', reason: 'revoked' } })).toEqual([]);
  });
});

describe('the end of offline use', () => {
  const ending = (state: AppState, offset: number): AppState => {
    if (state.license.kind !== 'works' && state.license.kind !== 'offline') throw new Error('nothing works');
    return { ...state, license: { ...state.license, worksUntil: from(now, offset) } };
  };

  it('is announced in its last two days', () => {
    expect(kindsOf(ending(offlineState(now), 49 * hour))).toEqual([]);
    expect(endsSoon(ending(offlineState(now), 47 * hour), now)).toEqual([
      { kind: 'offline-use', at: from(now, 47 * hour) },
    ]);
  });

  it('is announced later for a short lease', () => {
    const state = offlineState(now);
    const lease = { ...state.lease, issuedAt: from(now, -16 * hour), expiresAt: from(now, 8 * hour) };
    expect(kindsOf({ ...ending(state, 8 * hour), lease })).toEqual([]);
    expect(kindsOf({ ...ending(state, 5 * hour), lease })).toEqual(['offline-use']);
  });

  it('is announced if nobody is signed in, and not if the server extends it', () => {
    expect(kindsOf(ending(leasedState(now, 'session-expired'), day))).toEqual(['offline-use']);
    expect(kindsOf(ending(filledState(now), day))).toEqual([]);
  });
});
