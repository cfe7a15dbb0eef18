/** The message of the state header. */
import { expect, test } from 'vitest';
import { licenseMessage } from '../../../renderer/i18n/license-message.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';
import type { LicenseState } from '../../../shared/ipc/app-state.ts';

const { t } = await windowMessages.load('en');
const now = Date.parse('2027-02-10T12:00:00Z');
const context = {
  t,
  locale: 'en-GB',
  now,
  canActivateAgain: false,
  releasedElsewhere: false,
  isSignedOut: false,
  plansPage: false,
  leaseProblem: null,
} as const;

const table: readonly (readonly [LicenseState, string, string])[] = [
  [
    { kind: 'works', plan: 'standard', until: '2027-03-03T12:00:00Z', worksUntil: null },
    'good',
    'Everything works. Standard until 3 March.',
  ],
  [{ kind: 'works', plan: 'lab', until: null, worksUntil: null }, 'good', 'Everything works. Lab.'],
  [
    { kind: 'offline', plan: 'standard', since: '2027-02-08T12:00:00Z', worksUntil: '2027-02-12T12:00:00Z' },
    'attention',
    'Offline since Monday. Everything works until Friday.',
  ],
  [
    { kind: 'offline-ended', since: '2027-01-03T12:00:00Z' },
    'blocked',
    'Offline since 3 January. Features are unavailable until Latchkey can reach the server.',
  ],
  [
    { kind: 'not-activated' },
    'attention',
    'This device is not activated. Enter a license key to use your plan on this device.',
  ],
  [{ kind: 'unknown' }, 'unknown', 'License not checked yet. Latchkey will check it with the server.'],
  [
    { kind: 'blocked', reason: 'suspended' },
    'blocked',
    'Your license is suspended. Contact the person who issued it, then check again.',
  ],
];

for (const [state, tone, text] of table) {
  test(`${state.kind}: ${text}`, () => {
    const message = licenseMessage(state, context);
    expect(message.tone).toBe(tone);
    expect(`${message.headline} ${message.detail}`).toBe(text);
  });
}

test('every blocked state and every one that needs attention offers a remedy', () => {
  const states: readonly LicenseState[] = [
    { kind: 'not-activated' },
    { kind: 'no-license' },
    { kind: 'offline-ended', since: '2027-01-03T12:00:00Z' },
    ...(['revoked', 'expired', 'suspended', 'subscription-ended', 'not-found'] as const).map(
      (reason) => ({ kind: 'blocked', reason }) as const,
    ),
  ];
  for (const state of states) {
    for (const plansPage of [true, false]) {
      expect(licenseMessage(state, { ...context, plansPage }).remedy).not.toBeNull();
    }
  }
});

test('a released device that still has its key offers to activate again', () => {
  const message = licenseMessage({ kind: 'not-activated' }, { ...context, canActivateAgain: true });
  expect(message).toMatchObject({ detail: 'Its license key is still saved.', remedy: 'activateAgain' });
});

test('a device that was released elsewhere says so, and offers to activate again', () => {
  const message = licenseMessage(
    { kind: 'not-activated' },
    { ...context, canActivateAgain: true, releasedElsewhere: true },
  );
  expect(message).toMatchObject({
    headline: 'This device is not activated.',
    detail: 'It was released elsewhere, or another device took its place. Its license key is still saved.',
    remedy: 'activateAgain',
  });
});

test('plans are offered only if there is a page for them', () => {
  const ended = { kind: 'blocked', reason: 'subscription-ended' } as const;
  expect(licenseMessage(ended, { ...context, plansPage: true }).remedy).toBe('seePlans');
  const message = licenseMessage(ended, context);
  expect(message.remedy).toBe('enterAnotherKey');
  expect(message.detail).toContain('Ask the person who issued your license');
});

test('a lasting problem of a lease is named with a remedy, and one that the next lease solves is waited for', () => {
  const waiting = { kind: 'waiting-for-lease' } as const;
  const lasting = ['unknown_key', 'malformed', 'wrong_signature', 'other_device', 'other_account'] as const;
  const messages = lasting.map((leaseProblem) => licenseMessage(waiting, { ...context, leaseProblem }));
  expect(messages.map(({ tone, remedy }) => [tone, remedy])).toEqual([
    ['blocked', 'seeUpdates'],
    ['blocked', 'seeUpdates'],
    ['blocked', 'changeServer'],
    ['blocked', 'enterKey'],
    ['blocked', 'enterKey'],
  ]);
  expect(new Set(messages.map(({ headline }) => headline)).size).toBe(lasting.length);
  expect(messages[0]).toMatchObject({
    headline: 'This copy of Latchkey does not accept the server’s license.',
    detail: 'Install the current version, or contact the person who issued your license.',
  });
  for (const leaseProblem of [null, 'expired', 'not_yet_valid'] as const) {
    expect(licenseMessage(waiting, { ...context, leaseProblem }).headline).toBe('Waiting for the server.');
  }
});
