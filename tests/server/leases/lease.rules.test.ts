/** How long a lease lasts, when it is renewed, and which app versions it includes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLeaseTimes, describeUpdates } from '../../../server/leases/lease.rules.ts';

const second = 1000;

describe('a lease', () => {
  it.each([
    // In seconds: a lease from 100, for ten seconds.
    { when: 'nothing ends before', endsMs: [], exp: 110 },
    { when: 'what it rests on has no end', endsMs: [null, null], exp: 110 },
    { when: 'what it rests on ends later', endsMs: [111 * second], exp: 110 },
    { when: 'what it rests on ends before', endsMs: [105 * second, null], exp: 105 },
    { when: 'the earliest of two ends comes last', endsMs: [107 * second, 104 * second], exp: 104 },
    { when: 'the end is within a second', endsMs: [105 * second + 999], exp: 105 },
    { when: 'the end is in the next second', endsMs: [101 * second], exp: 101 },
  ])('ends at $exp s, if $when', ({ endsMs, exp }) => {
    const times = decideLeaseTimes({ nowMs: 100 * second, lifetimeMs: 10 * second, endsMs });
    expect(times?.exp).toBe(exp);
    expect(times?.iat).toBe(100);
  });

  it.each([
    { nowMs: 100 * second, lifetimeMs: 10 * second, times: { iat: 100, renew_after: 105, exp: 110 } },
    { nowMs: 100 * second, lifetimeMs: 11 * second, times: { iat: 100, renew_after: 105, exp: 111 } },
    { nowMs: 100 * second, lifetimeMs: 1 * second, times: { iat: 100, renew_after: 100, exp: 101 } },
    { nowMs: 100 * second + 999, lifetimeMs: 2 * second, times: { iat: 100, renew_after: 101, exp: 102 } },
    { nowMs: 100 * second + 600, lifetimeMs: 400, times: { iat: 100, renew_after: 100, exp: 101 } },
  ])(
    'of $lifetimeMs ms from $nowMs ms on has times in whole seconds, and is renewed from half of its lifetime',
    (given) => {
      expect(decideLeaseTimes({ ...given, endsMs: [] })).toStrictEqual(given.times);
    },
  );

  it.each([
    { when: 'has just ended', endMs: 100 * second },
    { when: 'ended long ago', endMs: 0 },
    { when: 'ends within a second', endMs: 101 * second - 1 },
  ])('is not given if what it depends on $when', ({ endMs }) => {
    const input = { nowMs: 100 * second, lifetimeMs: 10 * second };
    expect(decideLeaseTimes({ ...input, endsMs: [null, endMs] })).toBeUndefined();
  });

  it('never outlasts what it depends on, and is renewed before it ends', () => {
    const time = fc.nat(1e9);
    const ends = fc.array(fc.option(time), { maxLength: 3 });
    fc.assert(
      fc.property(time, fc.nat(1e6), ends, (nowMs, lifetimeMs, endsMs) => {
        const times = decideLeaseTimes({ nowMs, lifetimeMs, endsMs });
        if (!times) return;
        for (const endMs of endsMs) if (endMs !== null) expect(times.exp * second).toBeLessThanOrEqual(endMs);
        expect(times.exp * second).toBeLessThanOrEqual(nowMs + lifetimeMs);
        expect(times.renew_after).toBeGreaterThanOrEqual(times.iat);
        expect(times.renew_after).toBeLessThan(times.exp);
      }),
    );
  });
});

describe('the update entitlement in a lease', () => {
  it.each([
    { untilMs: null, says: {} },
    { untilMs: 5999, says: { updates_until: 5 } },
    { untilMs: 6000, says: { updates_until: 6 } },
    { untilMs: 0, says: { updates_until: 0 } },
    { untilMs: -1, says: { updates_until: 0 } },
  ])('is $says for a license that includes updates until $untilMs', ({ untilMs, says }) => {
    expect(describeUpdates({ updates_until_ms: untilMs })).toStrictEqual(says);
  });
});
