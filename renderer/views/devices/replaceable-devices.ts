/** Which devices may give up their slot, and in which order they are offered. */
import { normaliseLicenseKey, previewLicenseKey } from '../../../shared/formats/license-key.ts';
import type { Device } from '../../../shared/ipc/app-state.ts';

/** Those of the entered license where it can be told, the longest silent first. */
export function replaceableDevices(devices: readonly Device[], licenseKey: string): readonly Device[] {
  const key = normaliseLicenseKey(licenseKey);
  const preview = key === null ? null : previewLicenseKey(key);
  const others = devices.filter((device) => !device.isThisDevice);
  const ofLicense = others.filter((device) => device.keyPreview === preview);
  const offered = ofLicense.length > 0 ? ofLicense : others;
  return [...offered].sort((one, other) => Date.parse(one.lastSeenAt) - Date.parse(other.lastSeenAt));
}
