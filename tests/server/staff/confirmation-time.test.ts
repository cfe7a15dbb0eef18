/** How long a confirmation by a member of staff is valid. */
import { expect, it } from 'vitest';
import { readConfirmedUntil } from '../../../server/staff/staff-session.service.ts';
import { day, minute } from '../../harness/fake-clock.ts';

const confirmed_at_ms = 1000 * day;
const until = confirmed_at_ms + 5 * minute;

it.each([
  ['at once', 0, until],
  ['just before five minutes have passed', 5 * minute - 1, until],
  ['not after five minutes', 5 * minute, undefined],
  ['not after a day', day, undefined],
  ['not before it was given, by a clock that was set back', -1, undefined],
])('a confirmation is valid %s', (_, passedMs, expected) => {
  expect(readConfirmedUntil({ confirmed_at_ms }, confirmed_at_ms + passedMs)).toBe(expected);
});
