/** Crockford's base32 alphabet and a Luhn mod N check character over it. */

export const crockfordAlphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * The Luhn mod N check character (N = 32) of a payload in Crockford's alphabet.
 * It detects every error in one character and nearly every swap of two adjacent ones.
 */
export function checkCharacter(payload: string): string {
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
