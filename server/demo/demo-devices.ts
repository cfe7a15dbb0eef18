/** The devices of the demo account whose license is full: one in use, one idle, one long forgotten. */
import { createHash } from 'node:crypto';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import type { AdminParts } from '../admin/open-services.ts';
import type { Clock } from '../clock.ts';
import { createServices } from '../services.ts';

type DemoDevice = {
  readonly name: string;
  readonly platform: string;
  readonly activatedDaysAgo: number;
  readonly seenDaysAgo: number;
};

const devices: readonly DemoDevice[] = [
  { name: 'Studio desktop', platform: 'win32 x64', activatedDaysAgo: 190, seenDaysAgo: 41 },
  { name: 'Travel laptop', platform: 'darwin arm64', activatedDaysAgo: 120, seenDaysAgo: 9 },
  { name: 'Lab workstation', platform: 'linux x64', activatedDaysAgo: 60, seenDaysAgo: 0.1 },
];

/** How many slots they take. */
export const demoDeviceCount = devices.length;

const dayMs = 24 * 60 * 60 * 1000;

type Owner = { readonly userId: string; readonly licenseKey: string };

/** Activates them as they would have been in the past, by the service itself under a clock of that time. */
export async function activateDemoDevices(parts: AdminParts, owner: Owner): Promise<void> {
  const serviceAt = (daysAgo: number) => createServices({ ...parts, clock: shiftClock(parts.clock, daysAgo) }).licenses;
  for (const { name, platform, activatedDaysAgo, seenDaysAgo } of devices) {
    const call = {
      license_key: owner.licenseKey,
      device_id: formatDeviceId(createHash('sha256').update(`${owner.userId} ${name}`).digest()),
      device_name: name,
      platform,
    };
    await serviceAt(activatedDaysAgo).activate(owner.userId, call);
    await serviceAt(seenDaysAgo).activate(owner.userId, call);
  }
}

/** A clock that is so many days behind. */
export function shiftClock(clock: Clock, daysAgo: number): Clock {
  return { now: () => clock.now() - Math.round(daysAgo * dayMs), monotonic: clock.monotonic };
}
