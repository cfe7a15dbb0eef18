/** The decision on an activation in every case, and the activity of a device by the time since it was last seen. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ActivationInput,
  decideActivation,
  isKept,
  isRecentlyShared,
  isRecordDue,
  readDeviceActivity,
  seenWithin,
} from '../../../server/activations/activation.rules.ts';
import { day, minute } from '../../harness/fake-clock.ts';

const thisDevice = { id: 'this', deviceId: 'THIS', lastSeenAtMs: 0, leaseEndMs: null };
const otherDevice = { id: 'other', deviceId: 'OTHER', lastSeenAtMs: 0, leaseEndMs: null };
const withLease = (leaseEndMs: number) => ({ ...otherDevice, leaseEndMs });

describe('the decision on an activation', () => {
  const input: ActivationInput = {
    existing: undefined,
    replaced: undefined,
    activeCount: 2,
    maxActivations: 3,
    keptUntilMs: [],
    ownLeaseEndMs: null,
    newDevices: 10,
    releasedAtMs: [],
    isKnownDevice: false,
    nowMs: 100 * day,
  };
  const activate = (release: ActivationInput['existing'], remaining: number) => ({
    action: 'activate',
    release,
    placesInUse: 3,
    allowance: { remaining, untilMs: 130 * day },
  });
  const fullUntil = (freeAtMs: number | undefined) => ({ action: 'reject', reason: 'limit_reached', freeAtMs });
  const limitReached = fullUntil(undefined);
  it.each<{ when: string; change: Partial<ActivationInput>; decision: object }>([
    { when: 'an activation is free', change: {}, decision: activate(undefined, 10) },
    { when: 'none is free', change: { activeCount: 3 }, decision: limitReached },
    { when: 'there are more devices than allowed', change: { activeCount: 9 }, decision: limitReached },
    {
      when: 'the device is active and none is free',
      change: { activeCount: 3, existing: thisDevice },
      decision: { action: 'keep', activation: thisDevice },
    },
    {
      when: 'another device, which never had a lease, is replaced and none is free',
      change: { activeCount: 3, replaced: otherDevice },
      decision: activate(otherDevice, 9),
    },
    {
      when: 'another device is replaced and there are more devices than allowed',
      change: { activeCount: 4, replaced: otherDevice },
      decision: limitReached,
    },
    {
      when: 'a released device keeps the last place',
      change: { keptUntilMs: [101 * day] },
      decision: fullUntil(101 * day),
    },
    {
      when: 'more devices keep places than there are, after the limit was lowered',
      change: { keptUntilMs: [101 * day, 102 * day, 103 * day] },
      decision: fullUntil(103 * day),
    },
    {
      when: 'places are kept and the active devices alone are too many',
      change: { activeCount: 3, keptUntilMs: [101 * day] },
      decision: limitReached,
    },
    {
      when: 'the device to replace has a lease',
      change: { activeCount: 3, replaced: withLease(105 * day) },
      decision: fullUntil(105 * day),
    },
    {
      when: 'the device to replace has a lease and another place becomes free before',
      change: { keptUntilMs: [101 * day], replaced: withLease(105 * day) },
      decision: fullUntil(101 * day),
    },
    {
      when: 'the device to replace has a lease that ends before that of another',
      change: { keptUntilMs: [105 * day], replaced: withLease(101 * day) },
      decision: fullUntil(101 * day),
    },
    {
      when: 'the lease of the device to replace has ended',
      change: { activeCount: 3, replaced: withLease(100 * day) },
      decision: activate(withLease(100 * day), 9),
    },
    {
      when: 'the device to replace is unknown',
      change: { replaced: 'unknown' },
      decision: { action: 'reject', reason: 'replaced_not_found' },
    },
    {
      when: 'the device is active already and the one to replace is unknown',
      change: { existing: thisDevice, replaced: 'unknown' },
      decision: { action: 'keep', activation: thisDevice },
    },
  ])('is right when $when', ({ change, decision }) => {
    expect(decideActivation({ ...input, ...change })).toStrictEqual(decision);
  });
});

describe('the allowance of new devices', () => {
  const input: ActivationInput = {
    existing: undefined,
    replaced: undefined,
    activeCount: 1,
    maxActivations: 2,
    keptUntilMs: [],
    ownLeaseEndMs: null,
    newDevices: 2,
    releasedAtMs: [80 * day + 1, 90 * day],
    isKnownDevice: false,
    nowMs: 100 * day,
  };
  const used = { activeCount: 2 };

  it('shrinks with each new device, and says when it grows again', () => {
    expect(decideActivation({ ...input, releasedAtMs: [] })).toMatchObject({
      allowance: { remaining: 2, untilMs: 130 * day },
    });
    // The day on which it grows is the first one that starts with one more.
    expect(decideActivation(input)).toMatchObject({ allowance: { remaining: 0, untilMs: 111 * day } });
  });

  it('rejects a new device once it is used up, even one that replaces another', () => {
    const allowance = { remaining: 0, untilMs: 111 * day };
    const rejected = { action: 'reject', reason: 'allowance_used', allowance };
    expect(decideActivation({ ...input, ...used })).toStrictEqual(rejected);
    expect(decideActivation({ ...input, ...used, replaced: otherDevice })).toStrictEqual(rejected);
    expect(decideActivation({ ...input, releasedAtMs: [80 * day + 1, 90 * day, 91 * day] })).toStrictEqual(rejected);
  });

  it('is not used by a device on which the license was active before', () => {
    const known = { ...input, ...used, isKnownDevice: true };
    expect(decideActivation({ ...known, replaced: otherDevice })).toStrictEqual({
      action: 'activate',
      release: otherDevice,
      placesInUse: 2,
      allowance: undefined,
    });
    expect(decideActivation(known)).toMatchObject({ reason: 'limit_reached' });
    expect(decideActivation({ ...known, existing: thisDevice })).toMatchObject({ action: 'keep' });
  });

  it('of zero admits another device only once the previous one is old enough', () => {
    const strict = { ...input, newDevices: 0, releasedAtMs: [], replaced: otherDevice };
    expect(decideActivation(strict)).toMatchObject({ action: 'activate', allowance: { remaining: 0 } });
    expect(decideActivation({ ...strict, ...used })).toMatchObject({
      reason: 'allowance_used',
      allowance: { untilMs: 130 * day },
    });
  });

  it('that was reduced waits until several devices are old enough', () => {
    const smaller = { ...input, newDevices: 0, releasedAtMs: [80 * day, 90 * day, 95 * day] };
    expect(decideActivation(smaller)).toMatchObject({ allowance: { remaining: 0, untilMs: 125 * day } });
  });

  it('is not the reason why a license for zero devices rejects a device', () => {
    expect(decideActivation({ ...input, activeCount: 0, maxActivations: 0, newDevices: 0 })).toMatchObject({
      reason: 'limit_reached',
    });
  });
});

describe('a device', () => {
  it.each([
    { silentMs: 0, reads: 'active' },
    { silentMs: -day, reads: 'active' },
    { silentMs: 7 * day - 1, reads: 'active' },
    { silentMs: 7 * day, reads: 'idle' },
    { silentMs: 30 * day - 1, reads: 'idle' },
    { silentMs: 30 * day, reads: 'stale' },
  ])('that has been silent for $silentMs ms is $reads', ({ silentMs, reads }) => {
    expect(readDeviceActivity(100 * day, 100 * day + silentMs)).toBe(reads);
  });

  it('was last seen within the bounds of its own activity class, and of no other', () => {
    const nowMs = 100 * day;
    const limits = [-1, 0, 1].flatMap((ms) => [nowMs, nowMs - 7 * day, nowMs - 30 * day].map((at) => at + ms));
    const anySeen = fc.oneof(fc.constantFrom(0, 101 * day, ...limits), fc.nat(100 * day));
    fc.assert(
      fc.property(anySeen, (seenMs) => {
        const within = (['active', 'idle', 'stale'] as const).filter((activity) => {
          const { fromMs, toMs } = seenWithin(activity, nowMs);
          return fromMs < seenMs && seenMs <= toMs;
        });
        expect(within).toEqual([readDeviceActivity(seenMs, nowMs)]);
      }),
    );
  });

  it.each([
    { when: 'it was never recorded', lastMs: undefined, due: true },
    { when: 'the last record is of now', lastMs: 100 * minute, due: false },
    { when: 'the last record is nearly a minute old', lastMs: 99 * minute + 1, due: false },
    { when: 'the last record is a minute old', lastMs: 99 * minute, due: true },
    { when: 'the last record is of a clock that was ahead', lastMs: 100 * minute + 1, due: true },
  ])('is recorded: $due, if $when', ({ lastMs, due }) => {
    expect(isRecordDue(lastMs, 100 * minute)).toBe(due);
  });

  it('is shown as shared by several installations for less than a week', () => {
    expect(isRecentlyShared(100 * day, 107 * day - 1)).toBe(true);
    expect(isRecentlyShared(100 * day, 107 * day)).toBe(false);
  });

  it.each([
    { leaseEndMs: null, kept: false },
    { leaseEndMs: 99, kept: false },
    { leaseEndMs: 100, kept: false },
    { leaseEndMs: 101, kept: true },
  ])('that is released with a lease until $leaseEndMs keeps its place at 100: $kept', ({ leaseEndMs, kept }) => {
    expect(isKept(leaseEndMs, 100)).toBe(kept);
  });
});
