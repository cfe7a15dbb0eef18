/**
 * License keys: `SVC-` and four groups of four characters in Crockford base32, the last of which is a check character.
 */

export const licenseKeyPrefix = 'SVC';

/** Crockford's base32: without I, L, O and U. */
export const crockfordAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Returns the canonical form of user input: upper case, with hyphens, I and L read as 1 and O as 0. `null` if it does
 * not have the form of a license key. The check character is not verified.
 */
export function normalizeLicenseKey(input: string): string | null {
  const compact = input.toUpperCase().replace(/[\s\-‐-―−_]+/g, '');
  if (!compact.startsWith(licenseKeyPrefix)) return null;
  const body = compact.slice(licenseKeyPrefix.length).replace(/[IL]/g, '1').replace(/O/g, '0');
  if (body.length !== 16 || [...body].some((character) => !crockfordAlphabet.includes(character))) return null;
  return joinGroups(body);
}

/** Returns whether the check character of a normalized key is right; it never is after a single-character error. */
export function hasValidCheckCharacter(licenseKey: string): boolean {
  const body = licenseKey.slice(licenseKeyPrefix.length).replaceAll('-', '');
  return body.length === 16 && checkCharacter(body.slice(0, 15)) === body[15];
}

/** Returns a new key made from fifteen random numbers below 32. */
export function formatLicenseKey(fifteenNumbers: readonly number[]): string {
  if (fifteenNumbers.length !== 15) throw new RangeError('a license key is made of fifteen numbers');
  const payload = fifteenNumbers.map((number) => crockfordAlphabet.charAt(number & 31)).join('');
  return joinGroups(payload + checkCharacter(payload));
}

/** Returns the key preview, which may be shown: `SVC-AB12...WXYZ`. */
export function previewLicenseKey(licenseKey: string): string {
  return `${licenseKey.slice(0, 8)}...${licenseKey.slice(-4)}`;
}

function joinGroups(body: string): string {
  return [licenseKeyPrefix, body.slice(0, 4), body.slice(4, 8), body.slice(8, 12), body.slice(12)].join('-');
}

/**
 * Returns the Luhn mod N check character (N = 32) of a payload in Crockford's alphabet. It detects every
 * single-character error and nearly every swap of two adjacent characters.
 */
function checkCharacter(payload: string): string {
  const base = crockfordAlphabet.length;
  let sum = 0;
  let factor = 2;
  for (const character of [...payload].reverse()) {
    const addend = factor * crockfordAlphabet.indexOf(character);
    sum += Math.floor(addend / base) + (addend % base);
    factor = factor === 2 ? 1 : 2;
  }
  return crockfordAlphabet.charAt((base - (sum % base)) % base);
}
