/** The delays before the next request, as a table and as bounds for every input. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSyncDelayMs, retryDelayMs, type SyncPace } from '../../../electron/licensing/backoff.ts';

const pace = (more: Partial<SyncPace>): SyncPace => ({
  failures: 0,
  foreground: false,
  intervalSeconds: 300,
  retryAfterSeconds: 0,
  fraction: 0,
  ...more,
});

describe('the delay before the next sync', () => {
  it.each<[Partial<SyncPace>, number]>([
    [{}, 270_000],
    [{ fraction: 0.5 }, 300_000],
    [{ fraction: 0.999999 }, 330_000],
    [{ foreground: true, fraction: 0.999999 }, 59_400],
    [{ foreground: true, intervalSeconds: 60, fraction: 0.5 }, 54_000],
    [{ foreground: true, intervalSeconds: 54, fraction: 0.5 }, 54_000],
    [{ foreground: true, intervalSeconds: 40, fraction: 0.5 }, 40_000],
    [{ foreground: true, intervalSeconds: 55, fraction: 0.5 }, 54_000],
    [{ failures: 1 }, 15_000],
    [{ failures: 1, fraction: 0.5 }, 14_250],
    [{ failures: 1, fraction: 1 }, 13_500],
    [{ failures: 3, foreground: true }, 60_000],
    [{ failures: 3, foreground: true, fraction: 1 }, 54_000],
    [{ failures: 2 }, 30_000],
    [{ failures: 3 }, 60_000],
    [{ failures: 4, foreground: true }, 60_000],
    [{ failures: 4 }, 120_000],
    [{ failures: 5 }, 240_000],
    [{ failures: 6 }, 300_000],
    [{ failures: 1_000_000 }, 300_000],
    // Even for a number of failures whose power of two is infinite.
    [{ failures: 5000, foreground: true }, 60_000],
    [{ failures: 1, retryAfterSeconds: 90 }, 90_000],
    [{ failures: 1, retryAfterSeconds: 15 }, 15_000],
    [{ failures: 1, retryAfterSeconds: 16 }, 16_000],
    [{ failures: 1, retryAfterSeconds: 14 }, 15_000],
    [{ retryAfterSeconds: 10, foreground: true }, 48_600],
    [{ retryAfterSeconds: 400 }, 400_000],
  ])('%o is %i ms', (more, expected) => {
    expect(nextSyncDelayMs(pace(more))).toBe(expected);
  });

  it('stays within the promised bounds and is never shorter than Retry-After', () => {
    const input = fc.record({
      failures: fc.nat(),
      foreground: fc.boolean(),
      intervalSeconds: fc.integer({ min: 60, max: 3600 }),
      retryAfterSeconds: fc.integer({ min: 0, max: 3600 }),
      fraction: fc.double({ min: 0, max: 0.999999, noNaN: true }),
    });
    fc.assert(
      fc.property(input, (given) => {
        const delayMs = nextSyncDelayMs(given);
        const asked = given.retryAfterSeconds * 1000;
        const most = given.foreground ? 60_000 : Math.max(300_000, given.intervalSeconds * 1100);
        expect(delayMs).toBeGreaterThanOrEqual(Math.max(asked, 13_500));
        expect(delayMs).toBeLessThanOrEqual(Math.max(asked, most));
        if (given.failures === 1 && asked === 0) expect(delayMs).toBeLessThanOrEqual(15_000);
      }),
    );
  });
});

describe('a quick retry of a call', () => {
  const failure = (code: string, retryAfterSeconds?: number) => ({ code, message: '', at: '', retryAfterSeconds });
  it.each([
    ['a closed connection', { attempt: 1, elapsedMs: 5, failure: failure('SERVER_UNREACHABLE') }, 375],
    ['a busy server with a short wait', { attempt: 1, elapsedMs: 5, failure: failure('SERVICE_UNAVAILABLE', 2) }, 2000],
    ['a busy server with a long wait', { attempt: 1, elapsedMs: 5, failure: failure('SERVICE_UNAVAILABLE', 30) }, null],
    ['a second one', { attempt: 2, elapsedMs: 5, failure: failure('SERVER_UNREACHABLE') }, null],
    ['a time-out', { attempt: 1, elapsedMs: 12_000, failure: failure('SERVER_UNREACHABLE') }, null],
    [
      'a call that took as long as a quick one may',
      { attempt: 1, elapsedMs: 3000, failure: failure('SERVER_UNREACHABLE') },
      375,
    ],
    ['a call that took longer', { attempt: 1, elapsedMs: 3001, failure: failure('SERVER_UNREACHABLE') }, null],
    [
      'a busy server with the longest wait',
      { attempt: 1, elapsedMs: 5, failure: failure('SERVICE_UNAVAILABLE', 3) },
      3000,
    ],
    [
      'a busy server with a wait that is just too long',
      { attempt: 1, elapsedMs: 5, failure: failure('SERVICE_UNAVAILABLE', 3.001) },
      null,
    ],
    ['a busy server that names no wait', { attempt: 1, elapsedMs: 5, failure: failure('SERVICE_UNAVAILABLE') }, 375],
    [
      'a busy server that waits for nothing',
      { attempt: 1, elapsedMs: 5, failure: failure('SERVICE_UNAVAILABLE', 0) },
      0,
    ],
    ['a limit', { attempt: 1, elapsedMs: 5, failure: failure('RATE_LIMITED', 1) }, null],
    ['an unreadable response', { attempt: 1, elapsedMs: 5, failure: failure('SERVER_RESPONSE_INVALID') }, null],
  ])('after %s has the expected delay', (_, input, expected) => {
    expect(retryDelayMs({ ...input, fraction: 0.5 })).toBe(expected);
  });

  it.each([
    [0, 250],
    [0.5001, 375],
    [1, 500],
  ])('follows after 250 to 500 ms, in whole milliseconds: with the jitter %d after %i ms', (fraction, expected) => {
    const input = { attempt: 1, elapsedMs: 5, failure: failure('SERVER_UNREACHABLE') };
    expect(retryDelayMs({ ...input, fraction })).toBe(expected);
  });
});
