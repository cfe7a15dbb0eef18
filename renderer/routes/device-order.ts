/** Which devices a list shows, and in which order. */

import { normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { Device } from '../../shared/ipc/app-state.ts';
import { platformName } from '../i18n/format.ts';

/** The devices whose name or platform contains the text: this device first, then the most recently seen. */
export function filterDevices(devices: readonly Device[], text: string): readonly Device[] {
  const query = text.trim().toLocaleLowerCase();
  return devices
    .filter(({ name, platform }) => `${name} ${platformName(platform)}`.toLocaleLowerCase().includes(query))
    .sort((one, other) => rank(other) - rank(one));
}

function rank(device: Device): number {
  return device.isThisDevice ? Number.POSITIVE_INFINITY : Date.parse(device.lastSeenAt);
}

/** The preview of a typed key; `null` if it does not have the format of our keys. */
export function keyPreviewOf(licenseKey: string): string | null {
  const key = normalizeLicenseKey(licenseKey);
  return key === null ? null : previewLicenseKey(key);
}

/** The devices to offer at the device limit: those of the license if any are known, the longest unseen first. */
export function replaceableDevices(devices: readonly Device[], preview: string | null): readonly Device[] {
  const others = devices.filter((device) => !device.isThisDevice);
  const ofLicense = others.filter((device) => device.keyPreview === preview);
  const candidates = ofLicense.length > 0 ? ofLicense : others;
  return [...candidates].sort((one, other) => Date.parse(one.lastSeenAt) - Date.parse(other.lastSeenAt));
}
