/** When a failed delivery is retried, and what a response means for it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttemptResult, decideNextAttempt, readResult } from '../../../server/webhooks/delivery.rules.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';

const nowMs = 100 * day;
const failed = { attempts: 1, nowMs, giveUpAtMs: nowMs + 3 * day, random: 0 };

describe('a delivery that failed', () => {
  it.each([
    { attempts: 1, delay: 5 * second },
    { attempts: 2, delay: 30 * second },
    { attempts: 3, delay: 2 * minute },
    { attempts: 4, delay: 10 * minute },
    { attempts: 5, delay: 30 * minute },
    { attempts: 6, delay: hour },
    { attempts: 7, delay: 3 * hour },
    { attempts: 8, delay: 6 * hour },
    { attempts: 9, delay: 6 * hour },
    { attempts: 1000, delay: 6 * hour },
  ])('$attempts times is retried after $delay ms, or up to a fifth later', ({ attempts, delay }) => {
    expect(decideNextAttempt({ ...failed, attempts })).toBe(nowMs + delay);
    expect(decideNextAttempt({ ...failed, attempts, random: 0.5 })).toBe(nowMs + delay * 1.1);
    expect(decideNextAttempt({ ...failed, attempts, random: 1 })).toBe(nowMs + delay * 1.2);
  });

  it.each([
    { what: 'when it would be tried anyway', leftMs: 5 * second, next: nowMs + 5 * second },
    { what: 'earlier than that', leftMs: 4 * second, next: nowMs + 4 * second },
    { what: 'in a moment', leftMs: 1, next: nowMs + 1 },
    { what: 'now', leftMs: 0, next: undefined },
    { what: 'since a moment', leftMs: -1, next: undefined },
  ])('and is given up $what is retried for the last time at $next', ({ leftMs, next }) => {
    expect(decideNextAttempt({ ...failed, giveUpAtMs: nowMs + leftMs })).toBe(next);
  });

  it('is retried in the future, at a whole millisecond, and never after it is given up', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), fc.nat(3 * day), random, (attempts, leftMs, drawn) => {
        const giveUpAtMs = nowMs + leftMs + 1;
        const next = decideNextAttempt({ attempts, nowMs, giveUpAtMs, random: drawn }) ?? 0;
        expect(next).toBeGreaterThan(nowMs);
        expect(next).toBeLessThanOrEqual(giveUpAtMs);
        expect(Number.isInteger(next)).toBe(true);
      }),
    );
  });
});

describe('a response', () => {
  it.each([
    { status: 199, result: 'failed' },
    { status: 200, result: 'delivered' },
    { status: 204, result: 'delivered' },
    { status: 299, result: 'delivered' },
    { status: 300, result: 'failed' },
    { status: 302, result: 'failed' },
    { status: 404, result: 'failed' },
    { status: 409, result: 'failed' },
    { status: 410, result: 'gone' },
    { status: 411, result: 'failed' },
    { status: 500, result: 'failed' },
  ])('with status $status means that the event is $result', ({ status, result }) => {
    expect(readResult({ kind: 'response', status })).toBe(result);
  });

  it('that did not arrive means that the event was not delivered, whatever the error contains', () => {
    const error: AttemptResult = { kind: 'error', message: 'timeout' };
    expect(readResult(error)).toBe('failed');
    expect(readResult(Object.assign({ status: 200 }, error))).toBe('failed');
  });
});
