/**
 * The time by which the age of history is measured, which a wrong clock alone never determines, and how long each kind
 * stays.
 */
import { describe, expect, it } from 'vitest';
import {
  decideRun,
  retainedKinds,
  retentionIntervalMs,
  retentionOf,
} from '../../../server/retention/retention.rules.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';

const atMs = 1000 * day;
const hourly = { atMs: atMs - hour, retentionTimeMs: atMs - hour, steadySinceMs: atMs - day };

describe('the retention time', () => {
  const timeAfter = (last: typeof hourly | undefined, hasUsers = true) =>
    decideRun(atMs, last, hasUsers).retentionTimeMs;

  it('starts at the clock time without users, and 30 days behind it with users', () => {
    expect(timeAfter(undefined, false)).toBe(atMs);
    expect(timeAfter(undefined)).toBe(atMs - 30 * day);
  });

  it.each([
    ['follows a correct clock', {}, atMs],
    ['gains an hour per hour on a clock far ahead', { retentionTimeMs: atMs - 40 * day }, atMs - 40 * day + 2 * hour],
    [
      'is the clock after it was steady for 30 days',
      { retentionTimeMs: atMs - 900 * day, steadySinceMs: atMs - 30 * day },
      atMs,
    ],
    [
      'is not the clock if it has just jumped',
      { atMs: atMs - 2 * day, retentionTimeMs: atMs - 9 * day, steadySinceMs: atMs - 30 * day },
      atMs - 9 * day + 2 * hour,
    ],
    [
      'is not the clock a moment before it was steady for 30 days',
      { retentionTimeMs: atMs - 900 * day, steadySinceMs: atMs - 30 * day + 1 },
      atMs - 900 * day + 2 * hour,
    ],
    ['is lowered with a corrected clock', { retentionTimeMs: atMs + 3 * day }, atMs],
    [
      'moves two hours after days without a run',
      { retentionTimeMs: atMs - 9 * day, atMs: atMs - 9 * day },
      atMs - 9 * day + 2 * hour,
    ],
    ['gains no more where several processes run', { atMs: atMs - retentionIntervalMs / 2, retentionTimeMs: 0 }, hour],
  ])('%s', (_what, last, expected) => {
    expect(timeAfter({ ...hourly, ...last })).toBe(expected);
  });

  it('is at most two hours ahead for a process if the clock of another is 40 days ahead', () => {
    let last = decideRun(atMs, hourly, true);
    for (let passed = hour; passed < 60 * day; passed += hour) {
      const ahead = decideRun(atMs + passed + 40 * day, last, true);
      expect(ahead.retentionTimeMs).toBeLessThanOrEqual(atMs + passed + 2 * hour);
      last = decideRun(atMs + passed + minute, ahead, true);
      expect(last.retentionTimeMs).toBe(atMs + passed + minute);
    }
  });
});

describe('the clock is steady', () => {
  it.each([
    ['since the runs began', atMs - 20 * hour, hourly.steadySinceMs],
    ['where it is corrected by seconds', atMs + 30 * second, hourly.steadySinceMs],
    ['where it is corrected by a minute', atMs + minute, hourly.steadySinceMs],
    ['no longer where it is corrected by more', atMs + minute + 1, atMs],
    ['after a day without a run', atMs - day, hourly.steadySinceMs],
    ['no longer after more than a day without a run', atMs - day - 1, atMs],
    ['no longer after two days without a run', atMs - 2 * day, atMs],
    ['no longer after a jump back', atMs + hour, atMs],
  ])('%s', (_when, lastMs, expected) => {
    expect(decideRun(atMs, { ...hourly, atMs: lastMs }, true).steadySinceMs).toBe(expected);
  });
});

describe('a run', () => {
  it('stores its time, the retention time, and since when the clock has been steady', () => {
    expect(decideRun(atMs, undefined, true)).toStrictEqual({
      atMs,
      retentionTimeMs: atMs - 30 * day,
      steadySinceMs: atMs,
    });
    expect(decideRun(atMs, hourly, true)).toStrictEqual({
      atMs,
      retentionTimeMs: atMs,
      steadySinceMs: hourly.steadySinceMs,
    });
    const steadySinceMs = atMs - 40 * day;
    expect(decideRun(atMs, { ...hourly, steadySinceMs }, true)).toStrictEqual({
      atMs,
      retentionTimeMs: atMs,
      steadySinceMs,
    });
  });
});

describe('the retention period', () => {
  it.each<{ kind: Parameters<typeof retentionOf>[0]; days: readonly number[] }>([
    // With the setting at 1 day, 20 days, 1 year and 2 years.
    { kind: 'activations', days: [30, 30, 365, 730] },
    { kind: 'api_keys', days: [7, 20, 365, 730] },
    { kind: 'used_refresh_tokens', days: [1, 1, 1, 1] },
    { kind: 'refresh_tokens', days: [7, 20, 30, 30] },
    { kind: 'sessions', days: [7, 20, 365, 730] },
    { kind: 'device_activity', days: [1, 1, 1, 1] },
    { kind: 'idempotent_responses', days: [0, 0, 0, 0] },
    { kind: 'billing_events', days: [7, 20, 365, 730] },
    { kind: 'billing_payments', days: [550, 550, 550, 730] },
    { kind: 'event_deliveries', days: [7, 20, 30, 30] },
    { kind: 'reminders', days: [7, 20, 30, 30] },
    { kind: 'audit_events', days: [7, 20, 365, 730] },
  ])('of $kind is $days days, depending on the setting', ({ kind, days }) => {
    expect([1, 20, 365, 730].map((setting) => retentionOf(kind, setting * day) / day)).toEqual(days);
  });

  it('is defined for every kind that is deleted by age', () => {
    for (const kind of retainedKinds) expect(retentionOf(kind, 365 * day), kind).toBeGreaterThanOrEqual(0);
  });

  it('of released devices is never shorter than the allowance of new devices requires', () => {
    expect(retentionOf('activations', day)).toBe(30 * day);
    expect(retentionOf('activations', 365 * day)).toBe(365 * day);
  });

  it('of refresh tokens is shorter than that of history', () => {
    expect(retentionOf('refresh_tokens', 365 * day)).toBe(30 * day);
    expect(retentionOf('refresh_tokens', 10 * day)).toBe(10 * day);
    expect(retentionOf('used_refresh_tokens', 365 * day)).toBe(day);
  });

  it('of sessions and keys is never shorter than a week, so that a wrong clock can be corrected', () => {
    for (const kind of ['api_keys', 'refresh_tokens', 'sessions'] as const) {
      expect(retentionOf(kind, second)).toBe(7 * day);
    }
  });
});
