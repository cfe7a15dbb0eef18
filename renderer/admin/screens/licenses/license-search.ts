/** Keeps license keys out of searches, and so out of addresses: what is searched for is the key preview. */
import { licenseKeyPrefix, normalizeLicenseKey, previewLicenseKey } from '../../../../shared/formats/license-key.ts';

const previewStart = new RegExp(`^(${licenseKeyPrefix})[\\s-]*([0-9A-Z]{4})[\\s-]*[0-9A-Z]`, 'i');

/** The preview of a whole key, and the beginning of the preview for a key that is not complete; anything else as it is. */
export function withoutLicenseKey(typed: string): string {
  const key = normalizeLicenseKey(typed);
  if (key !== null) return previewLicenseKey(key);
  const [, prefix = '', group = ''] = previewStart.exec(typed) ?? [];
  return group === '' ? typed : `${prefix}-${group}`.toUpperCase();
}
