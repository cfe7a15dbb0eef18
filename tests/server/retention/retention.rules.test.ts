/** When history may be deleted: never right after the clock jumped, and never by a clock that nothing confirms. */
import { describe, expect, it } from 'vitest';
import {
  type ClockReading,
  type ClockState,
  decideRetention,
  decideRetentionTime,
  decideSteadySince,
  retentionIntervalMs,
  retentionOf,
  steadyAfterMs,
} from '../../../server/retention/retention.rules.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';

const start: ClockReading = { wallMs: 1000 * day, monotonicMs: hour };
const started: ClockState = { kind: 'started' };
const steady: ClockState = { kind: 'steady', reading: start };

/** The reading so much later by both clocks, and by the time of day alone. */
function later(milliseconds: number, jumpMs = 0, from = start): ClockReading {
  return { wallMs: from.wallMs + milliseconds + jumpMs, monotonicMs: from.monotonicMs + milliseconds };
}

describe('history is deleted', () => {
  it.each([
    ['after a restart', started, start, start.wallMs - 2 * hour],
    ['every hour', steady, later(hour), start.wallMs],
    ['where the clock is corrected by seconds', steady, later(hour, 30_000), start.wallMs],
    ['where a process was late by hours', steady, later(20 * hour), start.wallMs],
  ])('%s', (_when, state, reading, lastRunMs) => {
    expect(decideRetention(state, reading, lastRunMs)).toStrictEqual({
      action: 'delete',
      state: { kind: 'steady', reading },
    });
  });
});

describe('nothing is deleted', () => {
  it.each([40 * day, -40 * day, 2 * minute])('where the clock jumped by %i ms, which is said once', (jumpMs) => {
    const jumped = later(hour, jumpMs);
    const first = decideRetention(steady, jumped, start.wallMs);
    expect(first).toMatchObject({ action: 'wait', reason: { kind: 'clock_jumped', byMs: jumpMs } });
    const second = decideRetention(first.state, later(hour, 0, jumped), start.wallMs);
    expect(second).toStrictEqual({ action: 'wait', state: { ...first.state, reading: later(hour, 0, jumped) } });
  });

  it.each([
    ['at the first start', undefined],
    ['after 40 days without a run', start.wallMs - 40 * day],
    ['while the last run lies in the future', start.wallMs + 40 * day],
  ])('%s, until the clock has been steady', (_when, lastRunMs) => {
    let decision = decideRetention(started, start, lastRunMs);
    expect(decision).toMatchObject({ action: 'wait', reason: { kind: 'no_recent_run' } });
    for (let passed = hour; passed < steadyAfterMs; passed += hour) {
      decision = decideRetention(decision.state, later(passed), lastRunMs);
      expect(decision.action).toBe('wait');
    }
    // A server that was off for 40 days deletes again.
    expect(decideRetention(decision.state, later(steadyAfterMs), lastRunMs).action).toBe('delete');
  });

  it('after a jump back either, until the clock has been steady again', () => {
    const lastRunMs = start.wallMs;
    const ahead = later(hour, 40 * day);
    const jumped = decideRetention(steady, ahead, lastRunMs);
    const almost = decideRetention(jumped.state, later(steadyAfterMs - 1, 0, ahead), lastRunMs);
    const back = later(steadyAfterMs, -40 * day, ahead);
    const corrected = decideRetention(almost.state, back, lastRunMs);
    expect(corrected).toMatchObject({ action: 'wait', reason: { kind: 'clock_jumped' } });
    expect(decideRetention(corrected.state, later(steadyAfterMs, 0, back), lastRunMs).action).toBe('delete');
  });

  it('by a process whose clock is ahead while another one runs', () => {
    let lastRunMs = start.wallMs - 40 * day;
    let decision = decideRetention(started, start, lastRunMs);
    for (let passed = hour; passed <= 5 * steadyAfterMs; passed += hour) {
      lastRunMs += hour;
      decision = decideRetention(decision.state, later(passed), lastRunMs);
      expect(decision.action).toBe('wait');
    }
  });
});

describe('the retention time', () => {
  const wallMs = start.wallMs;
  const hourly = { wallMs, lastRunMs: wallMs - hour, steadySinceMs: wallMs - day, hasUsers: true };

  it.each([
    ['is the clock at first, without users', { ...hourly, storedMs: undefined, hasUsers: false }, wallMs],
    ['is 30 days behind the clock at first, with users', { ...hourly, storedMs: undefined }, wallMs - 30 * day],
    ['follows a correct clock', { ...hourly, storedMs: wallMs - hour }, wallMs],
    [
      'gains an hour per hour on a clock far ahead',
      { ...hourly, storedMs: wallMs - 40 * day },
      wallMs - 40 * day + 2 * hour,
    ],
    [
      'is the clock after it was steady for 30 days',
      { ...hourly, storedMs: wallMs - 900 * day, steadySinceMs: wallMs - 30 * day },
      wallMs,
    ],
    ['is lowered with a corrected clock', { ...hourly, storedMs: wallMs + 3 * day }, wallMs],
    [
      'moves two hours after days without a run',
      { ...hourly, storedMs: wallMs - 9 * day, lastRunMs: wallMs - 9 * day },
      wallMs - 9 * day + 2 * hour,
    ],
  ])('%s', (_what, input, expected) => {
    expect(decideRetentionTime(input)).toBe(expected);
  });

  it('gains no more where several processes run', () => {
    const lastRunMs = wallMs - retentionIntervalMs / 2;
    expect(decideRetentionTime({ ...hourly, lastRunMs, storedMs: 0 })).toBe(retentionIntervalMs);
  });
});

describe('the clock is steady', () => {
  it.each([
    ['since the first run', undefined, undefined, start.wallMs],
    ['since the runs began', start.wallMs - 20 * hour, start.wallMs - 9 * day, start.wallMs - 9 * day],
    ['no longer after two days without a run', start.wallMs - 2 * day, start.wallMs - 9 * day, start.wallMs],
    ['no longer after a jump back', start.wallMs + hour, start.wallMs - 9 * day, start.wallMs],
  ])('%s', (_when, lastRunMs, storedMs, expected) => {
    expect(decideSteadySince(start.wallMs, lastRunMs, storedMs)).toBe(expected);
  });
});

describe('the retention', () => {
  it('of released devices is never shorter than the allowance of new devices needs', () => {
    expect(retentionOf('activations', day)).toBe(30 * day);
    expect(retentionOf('activations', 365 * day)).toBe(365 * day);
  });

  it('of refresh tokens is shorter than that of history', () => {
    expect(retentionOf('refresh_tokens', 365 * day)).toBe(30 * day);
    expect(retentionOf('refresh_tokens', 10 * day)).toBe(10 * day);
    expect(retentionOf('used_refresh_tokens', 365 * day)).toBe(day);
  });

  it('of sessions and keys is never shorter than a week, in which a wrong clock can be corrected', () => {
    for (const kind of ['api_keys', 'refresh_tokens', 'refresh_families'] as const) {
      expect(retentionOf(kind, second)).toBe(7 * day);
    }
  });
});
