/** Which devices are shown, and in which order. */
import type { Device } from '../../../shared/ipc/app-state.ts';
import { platformName } from '../../i18n/platform-name.ts';

/** Those whose name or platform has the words; this device first, then the last seen. */
export function findDevices(devices: readonly Device[], words: string): readonly Device[] {
  const wanted = words.trim().toLocaleLowerCase();
  return devices
    .filter(({ name, platform }) => `${name} ${platformName(platform)}`.toLocaleLowerCase().includes(wanted))
    .sort((one, other) => rank(other) - rank(one));
}

function rank(device: Device): number {
  return device.isThisDevice ? Number.POSITIVE_INFINITY : Date.parse(device.lastSeenAt);
}
