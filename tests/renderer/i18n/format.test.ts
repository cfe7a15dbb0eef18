/** How times, sizes, plans and platforms are formatted. */
import { describe, expect, test } from 'vitest';
import {
  byteCount,
  dayName,
  dayRange,
  daysBetween,
  fullDay,
  planName,
  platformName,
  relativeTime,
  shortDay,
  shortTime,
} from '../../../renderer/i18n/format.ts';
import { windowMessages } from '../../../renderer/i18n/messages.ts';

const { t } = await windowMessages.load('en');
const now = Date.parse('2027-02-10T12:00:00Z');
const at = (offsetSeconds: number) => new Date(now + offsetSeconds * 1000).toISOString();

describe('times', () => {
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
  ])('%i seconds from now is "%s"', (offset, text) => {
    expect(relativeTime(at(offset), now, 'en-GB', 'just now')).toBe(text);
  });

  test('"tomorrow" and "yesterday" are the calendar days, not the next and last 24 hours', () => {
    const evening = new Date(2027, 1, 10, 20).getTime();
    const relative = (hours: number) =>
      relativeTime(new Date(evening + hours * 3_600_000).toISOString(), evening, 'en-GB', 'just now');
    expect(relative(27)).toBe('tomorrow');
    expect(relative(34)).toBe('in 2 days');
    expect(relative(-43)).toBe('yesterday');
    expect(relative(-45)).toBe('2 days ago');
  });

  test('today is "today", a day within a week a weekday, one this year a date, and any other has its year', () => {
    expect(shortDay(at(60), now, 'en-GB')).toBe('today');
    expect(shortDay(at(60), now, 'ja')).toBe('今日');
    expect(shortDay(at(2 * 86_400), now, 'en-GB')).toBe('Friday');
    expect(shortDay(at(21 * 86_400), now, 'en-GB')).toBe('3 March');
    expect(shortDay('2028-03-03T12:00:00Z', now, 'en-GB')).toBe('3 March 2028');
    expect(shortDay('2028-03-03T12:00:00Z', now, 'de')).toBe('3. März 2028');
    expect(shortDay('2028-03-03T12:00:00Z', now, 'ja')).toBe('2028年3月3日');
  });

  test('a moment of today is shown as a time of day', () => {
    expect(shortTime(at(0), now, 'en-GB')).toMatch(/^\d\d:\d\d$/);
    expect(shortTime(at(-3 * 86_400), now, 'en-GB')).toBe('Sunday');
  });

  test('the hour has no zero before it where people write none', () => {
    const early = new Date(2027, 1, 10, 4, 7);
    const short = (locale: string) => shortTime(early.toISOString(), early.getTime(), locale).replace(/\s/g, ' ');
    expect(short('en-US')).toBe('4:07 AM');
    expect(short('en-GB')).toBe('04:07');
    expect(short('de')).toBe('04:07');
    expect(short('ja')).toBe('4:07');
  });

  test('the name of a day is capitalized', () => {
    expect(dayName(at(0), now, 'en-GB')).toBe('Today');
    expect(dayName(at(-86_400), now, 'de')).toBe('Gestern');
    expect(daysBetween(at(-86_400), now)).toBe(-1);
  });

  test('a period names a shared year once', () => {
    expect(fullDay('2027-03-03T12:00:00Z', 'en-GB')).toBe('3 March 2027');
    expect(dayRange('2027-02-03T12:00:00Z', '2027-03-03T12:00:00Z', 'en-GB').replace(/\s/g, ' ')).toBe(
      '3 February – 3 March 2027',
    );
  });
});

test('sizes always have one decimal from kilobytes on', () => {
  expect(byteCount(0, 'en-GB')).toBe('0 byte');
  expect(byteCount(1500, 'en-GB')).toBe('1.5 kB');
  expect(byteCount(84_300_000, 'en-GB')).toBe('84.3 MB');
  expect(byteCount(84_300_000, 'de')).toBe('84,3 MB');
});

test('a plan that an admin added is capitalized', () => {
  expect(planName('advanced', t)).toBe('Advanced');
  expect(planName('lab-wide', t)).toBe('Lab-wide');
});

test('known platforms have their usual name', () => {
  expect(platformName('win32 x64')).toBe('Windows x64');
  expect(platformName('darwin arm64')).toBe('macOS arm64');
  expect(platformName('plan9 mips')).toBe('plan9 mips');
});
