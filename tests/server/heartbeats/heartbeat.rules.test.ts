/** Which activity is unusual, and how the user is told. */
import { describe, expect, it } from 'vitest';
import { decideWarning, type HeartbeatInput, type RecentActivity } from '../../../server/heartbeats/heartbeat.rules.ts';
import { describeWarning } from '../../../server/heartbeats/warning-text.ts';
import { languages } from '../../../shared/ipc/language.ts';

const alone: RecentActivity = {
  recordedAtMs: 0,
  hasOtherUser: false,
  otherDevices: 0,
  otherNetworks: 0,
  otherInstances: 0,
  returningInstances: 0,
};
const usual: HeartbeatInput = { activity: alone, hasLicense: true, isActivated: true, maxDevices: 2 };
const otherUser = { activity: { ...alone, hasOtherUser: true } };
const otherDevices = (count: number) => ({ activity: { ...alone, otherDevices: count } });
const otherNetworks = (count: number) => ({ activity: { ...alone, otherNetworks: count } });

describe('activity is usual', () => {
  it.each<{ when: string; change: Partial<HeartbeatInput> }>([
    { when: 'the device is activated and alone', change: {} },
    { when: 'the account has no license', change: { hasLicense: false, isActivated: false } },
    { when: 'as many devices as allowed were seen', change: otherDevices(1) },
    { when: 'the device was seen from 5 networks', change: otherNetworks(4) },
    { when: 'the app was started often', change: { activity: { ...alone, otherInstances: 16 } } },
    { when: 'one instance came back', change: { activity: { ...alone, returningInstances: 1 } } },
  ])('when $when', ({ change }) => {
    expect(decideWarning({ ...usual, ...change })).toBeUndefined();
  });
});

describe('activity is unusual', () => {
  it.each<{ when: string; change: Partial<HeartbeatInput>; says: RegExp }>([
    { when: 'another account had the device', change: otherUser, says: /another account/ },
    { when: 'the device is not activated', change: { isActivated: false }, says: /not activated/ },
    { when: 'too many devices were seen', change: otherDevices(2), says: /3 devices.* 2\./ },
    {
      when: 'one device is too many',
      change: { maxDevices: 0 },
      says: /used on 1 device in .* 0\./,
    },
    {
      when: 'two instances come back again and again',
      change: { activity: { ...alone, returningInstances: 2 } },
      says: /more than one installation/,
    },
    { when: 'it was seen from 6 networks', change: otherNetworks(5), says: /6 different networks/ },
    {
      when: 'two things are unusual: the warning is the first of the list',
      change: { isActivated: false, ...otherUser },
      says: /another account/,
    },
  ])('when $when', ({ change, says }) => {
    const warning = decideWarning({ ...usual, ...change });
    const texts = languages.map((language) => (warning === undefined ? '' : describeWarning(warning, language)));
    expect(texts[0]).toMatch(says);
    for (const text of texts) expect(text).toMatch(/^\p{L}[^.。]*[.。]$/u);
    expect(new Set(texts).size).toBe(languages.length);
  });
});
