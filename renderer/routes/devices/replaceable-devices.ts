/** Which devices may give up their slot, and in which order they are offered. */
import { normaliseLicenseKey, previewLicenseKey } from '../../../shared/formats/license-key.ts';
import type { Device } from '../../../shared/ipc/app-state.ts';

/** The preview of an entered key; `null` where it is another server's and cannot be told. */
export function previewOf(licenseKey: string): string | null {
  const key = normaliseLicenseKey(licenseKey);
  return key === null ? null : previewLicenseKey(key);
}

/** Those of the license with this preview where there are any, the longest silent first. */
export function replaceableDevices(devices: readonly Device[], preview: string | null): readonly Device[] {
  const others = devices.filter((device) => !device.isThisDevice);
  const ofLicense = others.filter((device) => device.keyPreview === preview);
  const offered = ofLicense.length > 0 ? ofLicense : others;
  return [...offered].sort((one, other) => Date.parse(one.lastSeenAt) - Date.parse(other.lastSeenAt));
}
