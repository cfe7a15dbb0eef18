/** Filters and sorts the devices of a list. Pure. */
import type { Device } from '../shared/ipc/app-state.ts';
import { platformName } from './i18n/format.ts';

export const deviceViews = ['all', 'unseen', 'longUnseen'] as const;
export type DeviceView = (typeof deviceViews)[number];

export const deviceOrders = ['lastSeen', 'longestUnseen', 'name', 'activated'] as const;
export type DeviceOrder = (typeof deviceOrders)[number];

export type DeviceSearch = {
  /** Part of the name, the platform or the license's preview, or the beginning of the device id. */
  readonly query: string;
  readonly view: DeviceView;
  readonly order: DeviceOrder;
};

const viewedActivities: Readonly<Record<DeviceView, readonly Device['activity'][]>> = {
  all: ['active', 'idle', 'stale'],
  unseen: ['idle', 'stale'],
  longUnseen: ['stale'],
};

/** Returns the devices that match, this device first. */
export function findDevices(devices: readonly Device[], search: DeviceSearch, locale: string): readonly Device[] {
  const query = search.query.trim().toLocaleLowerCase();
  const compare = comparisons(locale)[search.order];
  return devices
    .filter((device) => viewedActivities[search.view].includes(device.activity) && matches(device, query))
    .sort((one, other) => Number(other.isThisDevice) - Number(one.isThisDevice) || compare(one, other));
}

/** A short word, such as a name, could be anywhere in the digits of an id. */
function matches({ name, platform, keyPreview, deviceId }: Device, query: string): boolean {
  const text = [name, platformName(platform), keyPreview].join(' ').toLocaleLowerCase();
  return text.includes(query) || (query.startsWith('hw-') && deviceId.toLocaleLowerCase().startsWith(query));
}

function comparisons(locale: string): Readonly<Record<DeviceOrder, (one: Device, other: Device) => number>> {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  return {
    lastSeen: (one, other) => Date.parse(other.lastSeenAt) - Date.parse(one.lastSeenAt),
    longestUnseen: (one, other) => Date.parse(one.lastSeenAt) - Date.parse(other.lastSeenAt),
    name: (one, other) => compare(one.name, other.name),
    activated: (one, other) => Date.parse(other.activatedAt) - Date.parse(one.activatedAt),
  };
}
