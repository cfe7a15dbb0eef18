/** How the activity list is filtered and grouped. */
import { expect, test } from 'vitest';
import { type ActivityView, activityByDay, activityDetail, findActivity } from '../../../renderer/i18n/activity.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';
import type { ActivityEntry, ActivityKind } from '../../../shared/ipc/app-state.ts';

const { t } = await windowMessages.load('en');

test('entries are grouped by day and keep their order', () => {
  const entry = (id: number, at: string) => ({ id, at, kind: 'heartbeat', detail: null }) as const;
  const groups = activityByDay([
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
const find = (view: ActivityView, query = '') =>
  findActivity(entries, { view, query }, t, 'en').map(({ kind }) => kind);

test.each([
  ['all', ['heartbeat', 'heartbeat-warning', 'license-rejected', 'signed-in']],
  ['changes', ['heartbeat-warning', 'license-rejected', 'signed-in']],
  ['problems', ['heartbeat-warning', 'license-rejected']],
] as const)('the view %s has what it says', (view, kinds) => {
  expect(find(view)).toEqual(kinds);
});

test('no entry shows a word of the code', () => {
  expect(activityDetail(entryOf('license-checked', 'valid'), t)).toBeNull();
  expect(activityDetail(entryOf('license-checked', 'not-activated'), t)).toBe('This device is not activated.');
  expect(activityDetail(entryOf('license-rejected', 'LICENSE_REVOKED'), t)).toBe('This license was revoked.');
});

test('an entry is found by the words that are shown, not by the code behind them', () => {
  expect(find('all', 'this license was revoked')).toEqual(['license-rejected']);
  expect(find('all', 'LICENSE_REVOKED')).toEqual([]);
  expect(find('all', ' ADA@ ')).toEqual(['signed-in']);
  expect(find('problems', 'ada')).toEqual([]);
});
