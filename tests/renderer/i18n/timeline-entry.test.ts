/** The entries of the timeline in words of people, and what is behind the words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { de } from '../../../renderer/i18n/locales/de.ts';
import { diagnosticsEn } from '../../../renderer/i18n/locales/diagnostics-en.ts';
import { en } from '../../../renderer/i18n/locales/en.ts';
import { describeTimelineEntry } from '../../../renderer/i18n/timeline-entry.ts';
import { createTranslate } from '../../../renderer/i18n/translate.ts';
import type { TimelineEntry } from '../../../shared/ipc/diagnostics.ts';

const t = createTranslate('de', de);
const times = { at: '2027-02-10T13:00:00Z', monotonic_ms: 0 };
const minute = 60_000;

function describe(entry: TimelineEntry): string {
  const { text, detail } = describeTimelineEntry(entry, t, 'de');
  return detail === null ? text : `${text} · ${detail}`;
}

const answer = (more: Partial<Extract<TimelineEntry, { kind: 'answer' }>>): TimelineEntry => ({
  ...times,
  kind: 'answer',
  endpoint: 'heartbeat',
  outcome: 'success',
  code: null,
  server_time: null,
  times: 1,
  last_at: times.at,
  ...more,
});

test('what came of a call or a command is said in the language of the window, not as a code', () => {
  expect(describe(answer({}))).toBe('Heartbeat · der Server hat geantwortet');
  const refused = answer({ endpoint: 'activateLicense', outcome: 'error', code: 'MAX_ACTIVATIONS_REACHED' });
  expect(describe(refused)).toBe(`Aktivierung dieses Geräts · ${de.failure.MAX_ACTIVATIONS_REACHED.what}`);
  const command = { ...times, kind: 'command', command: 'signIn' } as const;
  expect(describe({ ...command, outcome: 'done' })).toBe('Sie haben sich angemeldet');
  expect(describe({ ...command, outcome: 'INVALID_CREDENTIALS' })).toBe(
    `Sie konnten sich nicht anmelden · ${de.failure.INVALID_CREDENTIALS.what}`,
  );
});

test('an answer that came again and again is counted, with the time of the last one, and its day if that is another', () => {
  const last = '2027-02-10T13:12:00Z';
  expect(describe(answer({ times: 12, last_at: last }))).toMatch(/^Heartbeat · .* · 12-mal, zuletzt: \d\d:12$/);
  const later = answer({ times: 1440, last_at: '2027-02-12T13:12:00Z' });
  expect(describe(later)).toMatch(/1440-mal, zuletzt: 1\d\. Februar 2027 um \d\d:12$/);
});

test('an answer that the license is not valid reads as a refusal, though the server answered', () => {
  const refused = answer({
    endpoint: 'validateLicense',
    said: { validation: { valid: false, error: '', code: 'LICENSE_REVOKED' } },
  });
  expect(describe(refused)).toBe(`Prüfung der Lizenz · ${de.failure.LICENSE_REVOKED.what}`);
  expect(describeTimelineEntry(refused, t, 'de')).toMatchObject({ tone: 'blocked', isRoutine: false });
});

test('what a newer version has recorded under a name of its own has words too', () => {
  expect(describe(answer({ endpoint: 'somethingNew' }))).toMatch(/^Anfrage an den Server/);
  const command = { ...times, kind: 'command', command: 'somethingNew' } as const;
  expect(describe({ ...command, outcome: 'done' })).toBe('Sie haben etwas in Latchkey gemacht');
});

test('time asleep is not said as a clock that was set, and a clock set back not as one set forward', () => {
  const clock = { ...times, kind: 'clock' } as const;
  expect(describe({ ...clock, jumped_ms: 480 * minute, slept_ms: 480 * minute })).toBe(
    'Der Computer war 8 Stunden im Ruhezustand',
  );
  expect(describe({ ...clock, jumped_ms: 505 * minute, slept_ms: 480 * minute })).toBe(
    'Die Uhr wurde um 25 Minuten vorgestellt',
  );
  expect(describe({ ...clock, jumped_ms: -25 * minute })).toBe('Die Uhr wurde um 25 Minuten zurückgestellt');
});

test('a decision says its reason and how many features it left', () => {
  const decision = { ...times, kind: 'decision' as const, until: null, features_on: [] };
  expect(describe({ ...decision, license: 'blocked', reason: 'revoked' })).toBe(
    'Lizenz ungültig · Ihre Lizenz wurde widerrufen · 0 Funktionen verfügbar',
  );
});

test('what was canceled by the person is no problem, and what failed is one', () => {
  const toneOf = (outcome: string) =>
    describeTimelineEntry({ ...times, kind: 'command', command: 'runDoctor', outcome }, t, 'de').tone;
  expect([toneOf('done'), toneOf('CANCELED'), toneOf('SERVER_UNREACHABLE')]).toEqual(['good', 'unknown', 'attention']);
});

test('the facts behind the words have the exact names, codes and times, and the id of the request', () => {
  const english = createTranslate('en', en);
  const failed = answer({ outcome: 'inconclusive', code: 'SERVICE_UNAVAILABLE', times: 3, request_id: 'req-7' });
  const facts = new Map(describeTimelineEntry(failed, english, 'en-GB').facts);
  expect(facts.get('Event')).toBe('answer · heartbeat · inconclusive');
  expect(facts.get('Code')).toBe('SERVICE_UNAVAILABLE');
  expect(facts.get('Times')).toBe('3');
  expect(facts.get('Request ID')).toBe('req-7');
  expect([...facts.keys()]).toContain('Last time');
});

/** Every name that the licensing client gives to what it records. */
function recorded(pattern: RegExp): readonly string[] {
  const folder = resolve(import.meta.dirname, '../../../electron/licensing');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();
}

test('every call and every command that the client records has words of its own', () => {
  const calls = recorded(/(?:\.call|addAnswer)\(\s*'(\w+)'/g);
  expect(calls.length).toBeGreaterThan(25);
  expect(
    Object.keys(diagnosticsEn.asked)
      .filter((name) => name !== 'other')
      .sort(),
  ).toEqual(calls);
  const commands = recorded(/#(?:noted|timed)\(\s*'(\w+)'/g);
  expect(commands.length).toBeGreaterThan(10);
  expect(
    Object.keys(diagnosticsEn.did)
      .filter((name) => name !== 'other')
      .sort(),
  ).toEqual(commands);
  expect(Object.keys(diagnosticsEn.couldNot)).toEqual(Object.keys(diagnosticsEn.did));
});
