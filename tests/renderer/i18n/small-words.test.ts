/** Small pieces of text: languages, plans, platforms, bytes, days, reasons. */
import { describe, expect, test } from 'vitest';
import { activityByDay } from '../../../renderer/i18n/activity-by-day.ts';
import { byteCount } from '../../../renderer/i18n/bytes.ts';
import { gateSentence, offReason } from '../../../renderer/i18n/feature-sentence.ts';
import { planName } from '../../../renderer/i18n/plan-name.ts';
import { platformName } from '../../../renderer/i18n/platform-name.ts';
import { formatLocale, languageFor } from '../../../renderer/i18n/sentences.ts';
import { intervalChoices } from '../../../renderer/routes/settings/interval-choices.ts';
import { sentencesIn } from './sentences-in.ts';

const t = await sentencesIn('en');

describe('the language', () => {
  test('is the system’s where we speak it, else English, unless one was chosen', () => {
    expect(languageFor('system', 'de-AT')).toBe('de');
    expect(languageFor('system', 'fr-FR')).toBe('en');
    expect(languageFor('ja', 'de-AT')).toBe('ja');
  });

  test('writes dates as the system does where both speak the same', () => {
    expect(formatLocale('de', 'de-AT')).toBe('de-AT');
    expect(formatLocale('en', 'en-US')).toBe('en-US');
    expect(formatLocale('en', 'de-AT')).toBe('en-GB');
    expect(formatLocale('ja', 'en-US')).toBe('ja');
  });
});

test('a plan that an admin added has a capital', () => {
  expect(planName('advanced', t)).toBe('Advanced');
  expect(planName('lab-wide', t)).toBe('Lab-wide');
});

test('platforms are named as people name them', () => {
  expect(platformName('win32 x64')).toBe('Windows x64');
  expect(platformName('darwin arm64')).toBe('macOS arm64');
  expect(platformName('plan9 mips')).toBe('plan9 mips');
});

test('bytes keep one digit after the point', () => {
  expect(byteCount(0, 'en-GB')).toBe('0 byte');
  expect(byteCount(1500, 'en-GB')).toBe('1.5 kB');
  expect(byteCount(84_300_000, 'en-GB')).toBe('84.3 MB');
  expect(byteCount(84_300_000, 'de')).toBe('84,3 MB');
});

test('a gate names the plan, or what takes the feature away', () => {
  expect(gateSentence({ kind: 'plan', plan: 'free', availableOn: 'standard' }, t)).toBe('Requires the Standard plan.');
  expect(offReason({ kind: 'plan', plan: 'standard', availableOn: 'advanced' }, t)).toBe(
    'Requires the Advanced plan. You have Standard.',
  );
  expect(gateSentence({ kind: 'license', license: { kind: 'blocked', reason: 'revoked' } }, t)).toBe(
    'Your license was revoked.',
  );
  expect(offReason({ kind: 'signed-out' }, t)).toBe('Sign in to use this feature.');
});

test('an interval set elsewhere can still be chosen', () => {
  expect(intervalChoices(300)).toEqual([60, 120, 300, 600, 900, 1800, 3600]);
  expect(intervalChoices(420)).toContain(420);
});

test('activity is grouped by day in its own order', () => {
  const entry = (id: number, at: string) => ({ id, at, kind: 'heartbeat', detail: null }) as const;
  const groups = activityByDay([
    entry(3, '2027-02-10T13:00:00Z'),
    entry(2, '2027-02-10T12:00:00Z'),
    entry(1, '2027-02-08T12:00:00Z'),
  ]);
  expect(groups.map(([, entries]) => entries.map(({ id }) => id))).toEqual([[3, 2], [1]]);
});
