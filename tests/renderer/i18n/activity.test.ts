/** How the activity list is grouped. */
import { expect, test } from 'vitest';
import { activityByDay } from '../../../renderer/i18n/activity.ts';

test('entries are grouped by day and keep their order', () => {
  const entry = (id: number, at: string) => ({ id, at, kind: 'heartbeat', detail: null }) as const;
  const groups = activityByDay([
    entry(3, '2027-02-10T13:00:00Z'),
    entry(2, '2027-02-10T12:00:00Z'),
    entry(1, '2027-02-08T12:00:00Z'),
  ]);
  expect(groups.map(([, entries]) => entries.map(({ id }) => id))).toEqual([[3, 2], [1]]);
});
