/** Instants as people say them. */
import { expect, test } from 'vitest';
import { dayName, daysBetween, relativeTime, shortDay, shortMoment } from '../../../renderer/i18n/times.ts';

const now = Date.parse('2027-02-10T12:00:00Z');
const at = (offsetSeconds: number) => new Date(now + offsetSeconds * 1000).toISOString();

test.each([
  [0, 'just now'],
  [-4, 'just now'],
  [-42, '42 seconds ago'],
  [-119, '1 minute ago'],
  [-3 * 3600, '3 hours ago'],
  [-26 * 3600, 'yesterday'],
  [-12 * 86_400, '12 days ago'],
  [-90 * 86_400, '3 months ago'],
  [-800 * 86_400, '2 years ago'],
  [30, 'in 30 seconds'],
])('%i seconds read as "%s"', (offset, words) => {
  expect(relativeTime(at(offset), now, 'en-GB', 'just now')).toBe(words);
});

test('a day nearby is a weekday, one this year a date, any other has its year', () => {
  expect(shortDay(at(2 * 86_400), now, 'en-GB')).toBe('Friday');
  expect(shortDay(at(21 * 86_400), now, 'en-GB')).toBe('3 March');
  expect(shortDay('2028-03-03T12:00:00Z', now, 'en-GB')).toBe('3 March 2028');
  expect(shortDay('2028-03-03T12:00:00Z', now, 'de')).toBe('3. März 2028');
  expect(shortDay('2028-03-03T12:00:00Z', now, 'ja')).toBe('2028年3月3日');
});

test('a moment today is a time of day', () => {
  expect(shortMoment(at(0), now, 'en-GB')).toMatch(/^\d\d:\d\d$/);
  expect(shortMoment(at(-3 * 86_400), now, 'en-GB')).toBe('Sunday');
});

test('the name of a day starts with a capital', () => {
  expect(dayName(at(0), now, 'en-GB')).toBe('Today');
  expect(dayName(at(-86_400), now, 'de')).toBe('Gestern');
  expect(daysBetween(at(-86_400), now)).toBe(-1);
});
