/** When activity is unusual. */
import { describe, expect, it } from 'vitest';
import {
  type DeviceActivityRecord,
  decideWarning,
  type HeartbeatInput,
} from '../../../server/heartbeats/heartbeat.rules.ts';
import { day, hour, minute } from '../../harness/fake-clock.ts';

const now = 100 * day;
const mine: DeviceActivityRecord = { userId: 'me', deviceId: 'here', network: 'home', lastSeenAtMs: now };

const usual: HeartbeatInput = {
  nowMs: now,
  userId: 'me',
  deviceId: 'here',
  records: [mine],
  hasLicense: true,
  isActivated: true,
  maxDevices: 2,
};

const devices = (count: number, ago: number): DeviceActivityRecord[] => [
  mine,
  ...Array.from({ length: count - 1 }, (_, index) => ({ ...mine, deviceId: `d${index}`, lastSeenAtMs: now - ago })),
];

const networks = (count: number, ago: number): DeviceActivityRecord[] => [
  mine,
  ...Array.from({ length: count - 1 }, (_, index) => ({ ...mine, network: `n${index}`, lastSeenAtMs: now - ago })),
];

const other = (ago: number): DeviceActivityRecord => ({ ...mine, userId: 'other', lastSeenAtMs: now - ago });

describe('activity is usual', () => {
  it.each<{ when: string; change: Partial<HeartbeatInput> }>([
    { when: 'the device is activated and alone', change: {} },
    { when: 'the account has no license', change: { hasLicense: false, isActivated: false } },
    { when: 'another account had the device more than 24 h ago', change: { records: [mine, other(day + 1)] } },
    {
      when: 'another account was seen on another device',
      change: { records: [mine, { ...other(0), deviceId: 'x' }] },
    },
    { when: 'as many devices as allowed were seen', change: { records: devices(2, 0) } },
    { when: 'too many devices were seen more than 15 min ago', change: { records: devices(3, 15 * minute + 1) } },
    { when: 'the device was seen from 5 networks', change: { records: networks(5, 0) } },
    { when: 'it was seen from 6, more than an hour ago', change: { records: networks(6, hour + 1) } },
  ])('when $when', ({ change }) => {
    expect(decideWarning({ ...usual, ...change })).toBeUndefined();
  });
});

describe('activity is unusual', () => {
  it.each<{ when: string; change: Partial<HeartbeatInput>; says: RegExp }>([
    { when: 'another account had the device', change: { records: [mine, other(day)] }, says: /another account/ },
    { when: 'the device is not activated', change: { isActivated: false }, says: /not activated/ },
    { when: 'too many devices were seen', change: { records: devices(3, 15 * minute) }, says: /3 devices.* 2\./ },
    { when: 'it was seen from 6 networks', change: { records: networks(6, hour) }, says: /6 different networks/ },
    {
      when: 'two things are unusual: the warning is the first of the list',
      change: { isActivated: false, records: [mine, other(0)] },
      says: /another account/,
    },
  ])('when $when', ({ change, says }) => {
    const warning = decideWarning({ ...usual, ...change });
    expect(warning).toMatch(says);
    expect(warning).toMatch(/^[A-Z][^.]*\.$/);
  });
});
