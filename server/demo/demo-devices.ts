/** The devices of the demo account at its device limit: one active, one idle, one stale. */
import { hash } from 'node:crypto';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import { byServer } from '../audit/audit-event.ts';
import { type Clock, dayMs } from '../clock.ts';
import { createServices, type ServicesDeps } from '../services.ts';

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

/** Device limit of the license, which these devices reach. */
export const demoDeviceCount = devices.length;

type Owner = { readonly userId: string; readonly licenseKey: string };

/** Activates the devices in the past, by running the license service with clocks set to those times. */
export async function activateDemoDevices(deps: ServicesDeps, owner: Owner): Promise<void> {
  const serviceAt = (daysAgo: number) =>
    createServices({ ...deps, clock: createPastClock(deps.clock, daysAgo) }).licenses;
  for (const { name, platform, activatedDaysAgo, seenDaysAgo } of devices) {
    const request = {
      license_key: owner.licenseKey,
      device_id: formatDeviceId(hash('sha256', `${owner.userId} ${name}`, 'buffer')),
      device_name: name,
      platform,
    };
    await serviceAt(activatedDaysAgo).activate(owner.userId, request, byServer);
    await serviceAt(seenDaysAgo).activate(owner.userId, request, byServer);
  }
}

/** Creates a clock that is `daysAgo` days behind. */
export function createPastClock(clock: Clock, daysAgo: number): Clock {
  return { now: () => clock.now() - Math.round(daysAgo * dayMs), monotonic: clock.monotonic };
}
