/** Which events are outdated, and how refunds and payments combine, whatever order they arrive in. */
import { describe, expect, it } from 'vitest';
import { isOutdated, isRefunded, latest } from '../../../server/billing/billing.rules.ts';

describe('an event dated 1000', () => {
  it.each([
    ['nothing was applied before', undefined, false],
    ['nothing was applied before, as the database says it', null, false],
    ['one of 999 was', 999, false],
    ['one of the same time was', 1000, false],
    ['one of 1001 was', 1001, true],
  ])('is outdated if %s: %j', (_, lastAtMs, expected) => {
    expect(isOutdated(1000, lastAtMs)).toBe(expected);
  });
});

describe('a subscription that was refunded at 1000', () => {
  it.each([
    ['never paid as far as is known', null, null, true],
    ['paid before', 999, null, true],
    ['paid at the same time', 1000, null, true],
    ['paid later', 1001, null, false],
    ['in a period that began before', null, 999, true],
    ['in a period that began at the same time', null, 1000, true],
    ['in a period that began later', null, 1001, false],
    ['paid before, in a period that began later', 999, 1001, false],
    ['paid later, in a period that began before', 1001, 999, false],
  ])('%s: whether it still counts as refunded', (_, paid_at_ms, period_start_ms, expected) => {
    expect(isRefunded({ refunded_at_ms: 1000, paid_at_ms, period_start_ms })).toBe(expected);
  });
});

it('a subscription that was never refunded does not count as refunded, whether paid or not', () => {
  expect(isRefunded({ refunded_at_ms: null, paid_at_ms: null, period_start_ms: null })).toBe(false);
  expect(isRefunded({ refunded_at_ms: null, paid_at_ms: 1, period_start_ms: 1 })).toBe(false);
});

it.each([
  [1, 2, 2],
  [2, 1, 2],
  [null, 2, 2],
  [2, undefined, 2],
  [null, undefined, null],
  [undefined, null, null],
])('of %j and %j, the later is %j', (one, other, expected) => {
  expect(latest(one, other)).toBe(expected);
});
