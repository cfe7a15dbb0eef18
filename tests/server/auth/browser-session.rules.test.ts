/** When a browser session ends, and when its use is recorded. */
import { describe, expect, it } from 'vitest';
import { browserSessionTtlMs, hasEnded, isUseDue, readSessionEnd } from '../../../server/auth/browser-session.rules.ts';
import { day, hour, minute } from '../../harness/fake-clock.ts';

const signedInAtMs = 1000 * day;
const usedAfter = (usedMs: number) => ({
  last_used_at_ms: signedInAtMs + usedMs,
  expires_at_ms: signedInAtMs + browserSessionTtlMs,
});

describe('a session', () => {
  it.each([
    ['half an hour after its sign-in', 0, 30 * minute],
    ['half an hour after its last use', 3 * hour, 3 * hour + 30 * minute],
    ['twelve hours after its sign-in', 11.5 * hour, 12 * hour],
    ['twelve hours after its sign-in, however recent its last use', 11.9 * hour, 12 * hour],
  ])('ends %s', (_, usedMs, endMs) => {
    const times = usedAfter(usedMs);
    expect(readSessionEnd(times)).toBe(signedInAtMs + endMs);
    expect(hasEnded(times, signedInAtMs + endMs - 1)).toBe(false);
    expect(hasEnded(times, signedInAtMs + endMs)).toBe(true);
    expect(hasEnded(times, signedInAtMs + endMs + 1)).toBe(true);
  });
});

describe('the use of a session', () => {
  it.each([
    ['at once after it was recorded', 0, false],
    ['less than a minute later', minute - 1, false],
    ['a minute later', minute, true],
    ['an hour later', hour, true],
    ['after the clock was set back by less than a minute', 1 - minute, false],
    ['after the clock was set back by a minute', -minute, true],
  ])('%s: whether it is recorded', (_, passedMs, expected) => {
    const times = usedAfter(hour);
    expect(isUseDue(times, times.last_used_at_ms + passedMs)).toBe(expected);
  });
});
