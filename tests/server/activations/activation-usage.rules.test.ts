/**
 * What the decision on an activation is based on: the active and released devices of a license, and what it has left.
 */
import { describe, expect, it } from 'vitest';
import type { LicenseSnapshot, ReleaseSnapshot } from '../../../server/account-snapshots/account-snapshot.ts';
import {
  type ActivationInput,
  countPlacesInUse,
  decideActivation,
  readActivationInput,
  readDeviceActivation,
  readLastNewDevices,
  readReleasedDevices,
} from '../../../server/activations/activation.rules.ts';
import { day } from '../../harness/fake-clock.ts';
import { activeOn, licenseFor, releasedFrom } from '../account-snapshots/snapshots.ts';

describe('the record of released devices', () => {
  const nowMs = 100 * day;
  const known = (released: readonly ReleaseSnapshot[], deviceId = 'THIS') =>
    readReleasedDevices(released, { deviceId, nowMs });

  it('is empty if none was released', () => {
    expect(known([])).toStrictEqual({ keptUntilMs: [], ownLeaseEndMs: null, releasedAtMs: [], isKnownDevice: false });
  });

  it('says when the places of other devices become free, earliest first', () => {
    const released = [
      releasedFrom('A', 0, 105 * day),
      releasedFrom('B', 0, 101 * day),
      releasedFrom('C', 0, nowMs),
      releasedFrom('D', 0),
      releasedFrom('THIS', 0, 103 * day),
    ];
    expect(known(released)).toStrictEqual({
      keptUntilMs: [101 * day, 105 * day],
      ownLeaseEndMs: 103 * day,
      releasedAtMs: [],
      isKnownDevice: true,
    });
  });

  it('lists the releases of the last 30 days, oldest first, including one of this device', () => {
    const released = [
      releasedFrom('A', 99 * day),
      releasedFrom('THIS', 80 * day),
      releasedFrom('B', 70 * day + 1),
      releasedFrom('C', 70 * day),
    ];
    expect(known(released)).toStrictEqual({
      keptUntilMs: [],
      ownLeaseEndMs: null,
      releasedAtMs: [70 * day + 1, 80 * day, 99 * day],
      isKnownDevice: true,
    });
    expect(known(released, 'B').isKnownDevice).toBe(true);
    expect(known(released, 'C').isKnownDevice).toBe(false);
  });
});

describe('the input of the decision on an activation', () => {
  const nowMs = 100 * day;
  const inputOf = (license: Partial<LicenseSnapshot>, deviceId = 'THIS') =>
    readActivationInput(licenseFor('small', license), { new_devices_per_month: 4 }, { deviceId, nowMs });

  it('has the limits, the number of active devices, and the activation of this device if there is one', () => {
    expect(inputOf({ active: [activeOn('A'), activeOn('THIS')], max_activations: 3 })).toStrictEqual({
      existing: activeOn('THIS'),
      replaced: undefined,
      activeCount: 2,
      maxActivations: 3,
      newDevices: 4,
      keptUntilMs: [],
      ownLeaseEndMs: null,
      releasedAtMs: [],
      isKnownDevice: false,
      nowMs,
    });
    expect(inputOf({ active: [activeOn('A')] }).existing).toBeUndefined();
  });

  it('ignores the release of a device that is active again', () => {
    const released = [releasedFrom('A', 99 * day, 101 * day), releasedFrom('B', 98 * day, 102 * day)];
    const license = { active: [activeOn('A'), activeOn('C')], released };
    expect(inputOf(license)).toMatchObject({ keptUntilMs: [102 * day], releasedAtMs: [98 * day] });
    expect(countPlacesInUse(licenseFor('small', license), nowMs)).toBe(3);
  });

  it.each([
    { what: 'both leases', first: 101 * day, second: 103 * day, kept: [103 * day] },
    { what: 'the first lease only', first: 101 * day, second: null, kept: [101 * day] },
    { what: 'no lease', first: null, second: null, kept: [] },
  ])('counts a device that was released twice once, with $what', ({ first, second, kept }) => {
    const released = [releasedFrom('A', 90 * day, first), releasedFrom('A', 95 * day, second)];
    for (const inOrder of [released, released.toReversed()]) {
      expect(inputOf({ released: inOrder })).toMatchObject({ keptUntilMs: kept, releasedAtMs: [95 * day] });
      expect(countPlacesInUse(licenseFor('small', { released: inOrder }), nowMs)).toBe(kept.length);
    }
  });

  it('counts a place for each active device and each released one whose lease has not ended', () => {
    const released = [releasedFrom('B', 0, nowMs + 1), releasedFrom('C', 0, nowMs), releasedFrom('D', 99 * day)];
    expect(countPlacesInUse(licenseFor('small', { active: [activeOn('A')], released }), nowMs)).toBe(2);
  });
});

describe('the use of a license, as a device sees it', () => {
  const nowMs = 100 * day;
  const usageOf = (parts: Partial<LicenseSnapshot>) => {
    const license = licenseFor('small', parts);
    const input = readActivationInput(license, { new_devices_per_month: 4 }, { deviceId: 'THIS', nowMs });
    return {
      placesInUse: countPlacesInUse(license, nowMs),
      isActiveOnDevice: input.existing !== undefined,
      canActivate: decideActivation(input).action !== 'reject',
    };
  };
  const used = { isActiveOnDevice: false, canActivate: false };

  it.each<{ when: string; license: Partial<LicenseSnapshot>; usage: object }>([
    { when: 'nothing is active', license: {}, usage: { ...used, placesInUse: 0, canActivate: true } },
    {
      when: 'it is active here and full',
      license: { active: [activeOn('A'), activeOn('THIS')] },
      usage: { placesInUse: 2, isActiveOnDevice: true, canActivate: true },
    },
    {
      when: 'it is full of others',
      license: { active: [activeOn('A'), activeOn('B')] },
      usage: { ...used, placesInUse: 2 },
    },
    {
      when: 'another released device keeps the last place',
      license: { active: [activeOn('A')], released: [releasedFrom('B', 0, nowMs + 1)] },
      usage: { ...used, placesInUse: 2 },
    },
    {
      when: 'this released device keeps the last place',
      license: { active: [activeOn('A')], released: [releasedFrom('THIS', 0, nowMs + 1)] },
      usage: { ...used, placesInUse: 2, canActivate: true },
    },
  ])('is right when $when', ({ license, usage }) => {
    expect(usageOf(license)).toStrictEqual(usage);
  });

  const onA = licenseFor('small', { active: [activeOn('A')] });
  it.each([
    { when: 'there is no license', licenses: [], says: { hasLicense: false, isActivated: false } },
    {
      when: 'another device is active',
      licenses: [onA],
      says: { hasLicense: true, isActivated: false },
    },
    {
      when: 'it is one of the devices of one of the licenses',
      licenses: [onA, licenseFor('large', { active: [activeOn('A'), activeOn('THIS')] })],
      says: { hasLicense: true, isActivated: true },
    },
  ])('tells the account, if $when: $says', ({ licenses, says }) => {
    expect(readDeviceActivation({ licenses }, 'THIS')).toStrictEqual(says);
  });
});

describe('the last new devices of a license for two devices and two more in 30 days', () => {
  const nowMs = 100 * day;
  const lastOf = (activeCount: number, releasedAtMs: readonly number[], change: Partial<ActivationInput> = {}) =>
    readLastNewDevices({
      existing: undefined,
      replaced: undefined,
      activeCount,
      maxActivations: 2,
      keptUntilMs: [],
      ownLeaseEndMs: null,
      newDevices: 2,
      releasedAtMs,
      isKnownDevice: false,
      nowMs,
      ...change,
    });

  it.each([
    { when: 'it was never used', active: 0, released: [], last: undefined },
    { when: 'it has two more', active: 1, released: [90 * day], last: undefined },
    { when: 'it has one more', active: 1, released: [90 * day, 91 * day], last: { remaining: 1, untilMs: 120 * day } },
    { when: 'it has no more', active: 2, released: [90 * day, 91 * day], last: { remaining: 0, untilMs: 120 * day } },
    {
      when: 'it had more than it may have now',
      active: 2,
      released: [90 * day, 91 * day, 92 * day],
      last: { remaining: 0, untilMs: 121 * day },
    },
    { when: 'all of its devices are active', active: 4, released: [], last: { remaining: 0, untilMs: 130 * day } },
  ])('are reported, if $when: $last', ({ active, released, last }) => {
    expect(lastOf(active, released)).toStrictEqual(last);
  });

  it('are not reported before the first use, even if the license allows only one device in total', () => {
    const one = { maxActivations: 1, newDevices: 0 };
    expect(lastOf(0, [], one)).toBeUndefined();
    expect(lastOf(1, [], one)).toStrictEqual({ remaining: 0, untilMs: 130 * day });
  });

  it('are reported even if no device is active now', () => {
    expect(lastOf(0, [90 * day, 91 * day, 92 * day])).toStrictEqual({ remaining: 1, untilMs: 120 * day });
  });
});
