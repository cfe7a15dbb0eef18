/** The first sentence that a person reads. */
import { expect, test } from 'vitest';
import { licenseSentence } from '../../../renderer/i18n/license-sentence.ts';
import type { LicenseState } from '../../../shared/ipc/app-state.ts';
import { sentencesIn } from './sentences-in.ts';

const t = await sentencesIn('en');
const now = Date.parse('2027-02-10T12:00:00Z');
const words = { t, locale: 'en-GB', now, holdsKey: false, plansPage: false };

const table: readonly (readonly [LicenseState, string, string])[] = [
  [
    { kind: 'works', plan: 'standard', until: '2027-03-03T12:00:00Z' },
    'good',
    'Everything works. Standard until 3 March.',
  ],
  [{ kind: 'works', plan: 'lab', until: null }, 'good', 'Everything works. Lab.'],
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

for (const [state, tone, sentence] of table) {
  test(`${state.kind}: ${sentence}`, () => {
    const said = licenseSentence(state, words);
    expect(said.tone).toBe(tone);
    expect(`${said.headline} ${said.detail}`).toBe(sentence);
  });
}

test('no state is a dead end: what is blocked or wants attention has a button, or heals by itself', () => {
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
      expect(licenseSentence(state, { ...words, plansPage }).remedy).not.toBeNull();
    }
  }
});

test('a device that still holds its key is offered to use it again', () => {
  const said = licenseSentence({ kind: 'not-activated' }, { ...words, holdsKey: true });
  expect(said).toMatchObject({ detail: 'Its license key is still saved.', remedy: 'activateAgain' });
});

test('the plans are named only where there is a page of them, else whom to ask', () => {
  const ended = { kind: 'blocked', reason: 'subscription-ended' } as const;
  expect(licenseSentence(ended, { ...words, plansPage: true }).remedy).toBe('seePlans');
  const said = licenseSentence(ended, words);
  expect(said.remedy).toBe('enterAnotherKey');
  expect(said.detail).toContain('Ask the person who issued your license');
});
