/** What happens next, by the state: nothing that is over, nothing that is not known, and the nearest first. */
import { describe, expect, it } from 'vitest';
import { windowMessages } from '../../../renderer/i18n/messages.ts';
import { upcoming } from '../../../renderer/i18n/upcoming.ts';
import type { AppState } from '../../../shared/ipc/app-state.ts';
import {
  filledState,
  firstRunState,
  from,
  leasedState,
  offlineState,
  samplePlaces,
  signedOutState,
  withSubscription,
} from '../sample-states.ts';

const { t } = await windowMessages.load('en');
const now = Date.parse('2027-02-10T12:00:00Z');
const day = 86_400_000;
const filled = filledState(now);

function linesOf(state: AppState, at = now): string[] {
  return upcoming(state, at, t).map(({ at: when, text, detail }) =>
    [when === null ? 'next check' : when.slice(0, 16), text, ...(detail === null ? [] : [detail])].join(' | '),
  );
}

describe('what happens next', () => {
  it('is the next check, the renewal of offline use, its end, and the next period, the nearest first', () => {
    expect(linesOf(filled)).toEqual([
      '2027-02-10T12:03 | Heartbeat and license check',
      '2027-02-16T12:00 | Offline use is renewed',
      '2027-02-17T12:00 | Offline use ends | unless the server is reached before then',
      '2027-03-02T12:00 | Standard renews',
    ]);
  });

  it('is a renewal with the next check, once it is due', () => {
    expect(linesOf(filled, now + 6 * day).slice(0, 2)).toEqual([
      '2027-02-10T12:03 | Heartbeat and license check',
      'next check | Offline use is renewed',
    ]);
  });

  it('is nothing that is over, and no check while one is running', () => {
    const running = { ...filled, heartbeat: { ...filled.heartbeat, nextAt: null } };
    expect(linesOf(running, now + 30 * day)).toEqual(['next check | Offline use is renewed']);
  });

  it.each(['canceled', 'expired'])('is no end of a subscription that is %s before its period ends', (status) => {
    expect(linesOf(withSubscription(filled, { status })).join()).not.toContain('Standard');
  });

  it('is the next attempt while the server cannot be reached', () => {
    expect(linesOf(offlineState(now))[0]).toContain('| Next attempt to reach the server');
  });

  it('is only the check on a new device, and nothing while nobody is signed in', () => {
    const signedIn = filled.session.kind === 'signed-in' && { ...filled.session, account: null };
    expect(linesOf({ ...firstRunState(now), ...(signedIn && { session: signedIn }) })).toEqual([
      '2027-02-10T12:00 | Heartbeat and license check',
    ]);
    expect(linesOf(signedOutState(now))).toEqual([]);
  });

  it('is only the end of offline use while a lease works without a session', () => {
    expect(linesOf(leasedState(now, null)).map((line) => line.slice(19))).toEqual([
      'Offline use ends | unless you sign in or import a new answer file before then',
    ]);
  });

  it.each([
    [{ cancel_at_period_end: true }, 'Standard ends'],
    [{ status: 'trialing' }, 'The Standard trial ends'],
    [{ status: 'past_due' }, 'Standard ends | unless the payment succeeds before then'],
    [{ status: 'past_due', cancel_at_period_end: true }, 'Standard ends'],
  ] as const)('is how a subscription with %o ends', (change, line) => {
    expect(linesOf(withSubscription(filled, change)).at(-1)).toBe(`2027-03-02T12:00 | ${line}`);
  });

  it('is the reminder that the user asked for', () => {
    const state = withSubscription(filled, { cancel_at_period_end: true });
    const settings = { ...state.settings, remindAt: from(now, day) };
    expect(linesOf({ ...state, settings })).toContain(
      '2027-02-11T12:00 | Latchkey reminds you that your subscription ends',
    );
  });

  it('is a place of a released device that becomes free', () => {
    expect(linesOf({ ...filled, places: samplePlaces(now) })).toContain(
      '2027-02-19T12:00 | The place of Field Laptop becomes free',
    );
  });
});
