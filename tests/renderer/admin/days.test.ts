/** A chosen day is valid until its end in the browser's time zone. */
import { expect, test } from 'vitest';
import { dayOf, endOfDay } from '../../../renderer/admin/forms/days.ts';

test('the end of a day is a moment of the same day', () => {
  for (const day of ['2027-03-03', '2028-02-29', '2027-12-31', '2027-03-28']) {
    expect(dayOf(endOfDay(day))).toBe(day);
    expect(new Date(Date.parse(endOfDay(day)) + 1).getDate()).not.toBe(Number(day.slice(-2)));
  }
  expect(dayOf(null)).toBe('');
});
