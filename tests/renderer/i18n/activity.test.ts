/** The descriptions of activity entries, and how lists of entries are filtered and grouped. */
import { expect, test } from 'vitest';
import { activityEntry } from '../../../renderer/i18n/activity.ts';
import { type EntryView, entriesByDay, findEntries } from '../../../renderer/i18n/entries.ts';
import { en } from '../../../renderer/i18n/locales/en.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';
import type { ActivityEntry, ActivityKind } from '../../../shared/ipc/app-state.ts';

const { t } = await windowMessages.load('en');

test('entries are grouped by day and keep their order', () => {
  const entry = (id: number, at: string) => activityEntry({ id, at, kind: 'heartbeat', detail: null }, t);
  const groups = entriesByDay([
    entry(3, '2027-02-10T13:00:00Z'),
    entry(2, '2027-02-10T12:00:00Z'),
    entry(1, '2027-02-08T12:00:00Z'),
  ]);
  expect(groups.map(([, entries]) => entries.map(({ id }) => id))).toEqual([[3, 2], [1]]);
});

const entryOf = (kind: ActivityKind, detail: string | null = null): ActivityEntry => ({
  id: 1,
  at: '2027-02-10T12:00:00Z',
  kind,
  detail,
});
const entries = [
  entryOf('heartbeat'),
  entryOf('heartbeat-warning'),
  entryOf('license-rejected', 'LICENSE_REVOKED'),
  entryOf('signed-in', 'ada@lab.org'),
];
const kindsByText = new Map(entries.map(({ kind }) => [en.activity.kind[kind], kind]));
const shown = entries.map((entry) => activityEntry(entry, t));
const find = (view: EntryView, query = '') =>
  findEntries(shown, { view, query }, 'en').map(({ text }) => kindsByText.get(text));

test.each([
  ['all', ['heartbeat', 'heartbeat-warning', 'license-rejected', 'signed-in']],
  ['changes', ['heartbeat-warning', 'license-rejected', 'signed-in']],
  ['problems', ['heartbeat-warning', 'license-rejected']],
] as const)('the view %s has the matching kinds', (view, kinds) => {
  expect(find(view)).toEqual(kinds);
});

test('no entry shows an internal code', () => {
  const detailOf = (kind: ActivityKind, detail: string) => activityEntry(entryOf(kind, detail), t).detail;
  expect(detailOf('license-checked', 'valid')).toBeNull();
  expect(detailOf('license-checked', 'not-activated')).toBe('This device is not activated.');
  expect(detailOf('license-rejected', 'LICENSE_REVOKED')).toBe('This license was revoked.');
});

test('an entry is found by its shown text, not by the code behind it', () => {
  expect(find('all', 'this license was revoked')).toEqual(['license-rejected']);
  expect(find('all', 'LICENSE_REVOKED')).toEqual([]);
  expect(find('all', ' ADA@ ')).toEqual(['signed-in']);
  expect(find('problems', 'ada')).toEqual([]);
});
