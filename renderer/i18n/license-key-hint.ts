/**
 * Hints for a license key while it is being typed. They never block: another server's keys may have a different format.
 */
import {
  crockfordAlphabet,
  hasValidCheckCharacter,
  licenseKeyPrefix,
  normalizeLicenseKey,
} from '../../shared/formats/license-key.ts';

export type LicenseKeyHint =
  | { readonly kind: 'empty' }
  | { readonly kind: 'good' }
  | { readonly kind: 'incomplete'; readonly missing: number }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'bad-character'; readonly character: string }
  | { readonly kind: 'mistyped' }
  | { readonly kind: 'other-shape' };

const bodyLength = 16;

/** Checks the format and check character of the text typed so far. */
export function hintForLicenseKey(input: string): LicenseKeyHint {
  const compact = input.toUpperCase().replace(/[\s\-‐-―−_]+/g, '');
  if (compact === '') return { kind: 'empty' };
  if (licenseKeyPrefix.startsWith(compact)) return { kind: 'incomplete', missing: bodyLength };
  if (!compact.startsWith(licenseKeyPrefix)) return { kind: 'other-shape' };
  const body = compact.slice(licenseKeyPrefix.length).replace(/[IL]/g, '1').replace(/O/g, '0');
  const character = [...body].find((candidate) => !crockfordAlphabet.includes(candidate));
  if (character !== undefined) return { kind: 'bad-character', character };
  if (body.length < bodyLength) return { kind: 'incomplete', missing: bodyLength - body.length };
  if (body.length > bodyLength) return { kind: 'too-long' };
  const key = normalizeLicenseKey(input);
  return key !== null && hasValidCheckCharacter(key) ? { kind: 'good' } : { kind: 'mistyped' };
}
