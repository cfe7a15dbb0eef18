/** A chosen day is valid until its end in the browser's time zone. */
import { expect, test } from 'vitest';
import { dayOf, endOfChosenDay, endOfDay } from '../../../renderer/admin/forms/days.ts';

test('the end of a day is a moment of the same day', () => {
  for (const day of ['2027-03-03', '2028-02-29', '2027-12-31', '2027-03-28']) {
    expect(dayOf(endOfDay(day))).toBe(day);
    expect(new Date(Date.parse(endOfDay(day)) + 1).getDate()).not.toBe(Number(day.slice(-2)));
  }
  expect(dayOf(null)).toBe('');
});

test('a stored time is kept unless another day is chosen', () => {
  const stored = new Date(2027, 2, 3, 12).toISOString();
  expect(endOfChosenDay('2027-03-03', stored)).toBe(stored);
  expect(endOfChosenDay('2027-03-04', stored)).toBe(endOfDay('2027-03-04'));
  expect(endOfChosenDay('2027-03-04', null)).toBe(endOfDay('2027-03-04'));
  expect(endOfChosenDay('', stored)).toBeNull();
  expect(endOfChosenDay('', null)).toBeNull();
});
