/** The descriptions of timeline entries in plain language, and the facts behind them. */
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

test('the outcome of a call or a command is described in the language of the window, not as a code', () => {
  expect(describe(answer({}))).toBe('Heartbeat · der Server hat geantwortet');
  const refused = answer({ endpoint: 'activateLicense', outcome: 'error', code: 'MAX_ACTIVATIONS_REACHED' });
  expect(describe(refused)).toBe(`Aktivierung dieses Geräts · ${de.failure.MAX_ACTIVATIONS_REACHED.what}`);
  const command = { ...times, kind: 'command', command: 'signIn' } as const;
  expect(describe({ ...command, outcome: 'done' })).toBe('Sie haben sich angemeldet');
  expect(describe({ ...command, outcome: 'INVALID_CREDENTIALS' })).toBe(
    `Sie konnten sich nicht anmelden · ${de.failure.INVALID_CREDENTIALS.what}`,
  );
});

test('a repeated answer is shown with its count and the time of the last one, and its date if the day differs', () => {
  const last = '2027-02-10T13:12:00Z';
  expect(describe(answer({ times: 12, last_at: last }))).toMatch(/^Heartbeat · .* · 12-mal, zuletzt: \d\d:12$/);
  const later = answer({ times: 1440, last_at: '2027-02-12T13:12:00Z' });
  expect(describe(later)).toMatch(/1440-mal, zuletzt: 1\d\. Februar 2027 um \d\d:12$/);
});

test('a successful answer that the license is not valid is shown as a refusal', () => {
  const refused = answer({
    endpoint: 'validateLicense',
    said: { validation: { valid: false, error: '', code: 'LICENSE_REVOKED' } },
  });
  expect(describe(refused)).toBe(`Prüfung der Lizenz · ${de.failure.LICENSE_REVOKED.what}`);
  expect(describeTimelineEntry(refused, t, 'de')).toMatchObject({ tone: 'blocked', isRoutine: false });
});

test('an entry recorded by a newer version under an unknown name has a description too', () => {
  expect(describe(answer({ endpoint: 'somethingNew' }))).toMatch(/^Anfrage an den Server/);
  const command = { ...times, kind: 'command', command: 'somethingNew' } as const;
  expect(describe({ ...command, outcome: 'done' })).toBe('Sie haben etwas in Latchkey gemacht');
});

test('sleep is not described as a clock change, nor a clock that was set back as one that was set forward', () => {
  const clock = { ...times, kind: 'clock' } as const;
  expect(describe({ ...clock, jumped_ms: 480 * minute, slept_ms: 480 * minute })).toBe(
    'Der Computer war 8 Stunden im Ruhezustand',
  );
  expect(describe({ ...clock, jumped_ms: 505 * minute, slept_ms: 480 * minute })).toBe(
    'Die Uhr wurde um 25 Minuten vorgestellt',
  );
  expect(describe({ ...clock, jumped_ms: -25 * minute })).toBe('Die Uhr wurde um 25 Minuten zurückgestellt');
});

test('a decision shows its reason and how many features remain on', () => {
  const decision = { ...times, kind: 'decision' as const, until: null, features_on: [] };
  expect(describe({ ...decision, license: 'blocked', reason: 'revoked' })).toBe(
    'Lizenz ungültig · Ihre Lizenz wurde widerrufen · 0 Funktionen verfügbar',
  );
});

test('a command that the user canceled is not a problem, but a failed one is', () => {
  const toneOf = (outcome: string) =>
    describeTimelineEntry({ ...times, kind: 'command', command: 'runDoctor', outcome }, t, 'de').tone;
  expect([toneOf('done'), toneOf('CANCELED'), toneOf('SERVER_UNREACHABLE')]).toEqual(['good', 'unknown', 'attention']);
});

test('the facts of an entry have the exact names, codes and times, and the id of the request', () => {
  const english = createTranslate('en', en);
  const failed = answer({ outcome: 'inconclusive', code: 'SERVICE_UNAVAILABLE', times: 3, request_id: 'req-7' });
  const facts = new Map(describeTimelineEntry(failed, english, 'en-GB').facts);
  expect(facts.get('Event')).toBe('answer · heartbeat · inconclusive');
  expect(facts.get('Code')).toBe('SERVICE_UNAVAILABLE');
  expect(facts.get('Times')).toBe('3');
  expect(facts.get('Request ID')).toBe('req-7');
  expect([...facts.keys()]).toContain('Last time');
});

/** Returns the names under which the licensing client records something, as captured by the pattern. */
function recorded(pattern: RegExp): readonly string[] {
  const folder = resolve(import.meta.dirname, '../../../electron/licensing');
  const sources = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const text = sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();
}

test('every call and every command that the client records has its own description', () => {
  const calls = recorded(/(?:\.call|addAnswer)\(\s*'(\w+)'/g);
  expect(calls.length).toBeGreaterThan(25);
  expect(
    Object.keys(diagnosticsEn.asked)
      .filter((name) => name !== 'other')
      .sort(),
  ).toEqual(calls);
  const commands = recorded(/#(?:recordCommand|timed)\(\s*'(\w+)'/g);
  expect(commands.length).toBeGreaterThan(10);
  expect(
    Object.keys(diagnosticsEn.did)
      .filter((name) => name !== 'other')
      .sort(),
  ).toEqual(commands);
  expect(Object.keys(diagnosticsEn.couldNot)).toEqual(Object.keys(diagnosticsEn.did));
});
