/** Keeps license keys out of searches and therefore out of URLs, by searching for the key preview. */
import { licenseKeyPrefix, normalizeLicenseKey, previewLicenseKey } from '../../../../shared/formats/license-key.ts';

const previewStart = new RegExp(`^(${licenseKeyPrefix})[\\s-]*([0-9A-Z]{4})[\\s-]*[0-9A-Z]`, 'i');

/** Returns the preview of a whole key, or the start of the preview for an incomplete one; other text unchanged. */
export function withoutLicenseKey(typed: string): string {
  const key = normalizeLicenseKey(typed);
  if (key !== null) return previewLicenseKey(key);
  const [, prefix = '', group = ''] = previewStart.exec(typed) ?? [];
  return group === '' ? typed : `${prefix}-${group}`.toUpperCase();
}
