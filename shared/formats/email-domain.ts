/** Normalizes email domains with the UTS 46 mapping that browsers and mail programs use. */
import { decodePunycode } from './punycode.ts';

/** Global in Node and browsers; declared here only as far as needed to map a host. */
declare const URL: new (text: string) => { readonly hostname: string };

const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * Returns the same Unicode text for every spelling of a domain: upper and lower case, letters such as `ｇ` and `𝐠` that
 * map to others, and Punycode. `undefined` for IP addresses and anything that is not a domain.
 */
export function readDomain(text: string): string | undefined {
  const ascii = areLabels(text) ? toAscii(text) : undefined;
  if (ascii === undefined || isNumber(ascii)) return undefined;
  const lowerCase = text.toLowerCase();
  // The common case: an ASCII domain.
  if (lowerCase === ascii && !ascii.includes('xn--')) return ascii;
  // Case must not matter, but lower-casing some letters, such as a final Σ, yields a different domain.
  if (toAscii(lowerCase) !== ascii) return undefined;
  const domain = toUnicode(ascii);
  return domain !== undefined && areLabels(domain) && toAscii(domain) === ascii ? domain : undefined;
}

/** Returns whether the text consists of at least two labels. */
function areLabels(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((text) => label.test(text));
}

/** Returns the ASCII form of valid labels, which cannot contain a port or a path; `undefined` if it has none. */
function toAscii(domain: string): string | undefined {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return undefined;
  }
}

/** Returns whether a host ends in a number and so is an IP address. */
function isNumber(host: string): boolean {
  return /\.\d+$/.test(host);
}

function toUnicode(ascii: string): string | undefined {
  const labels = ascii.split('.').map((text) => (text.startsWith('xn--') ? decodePunycode(text.slice(4)) : text));
  return labels.includes(undefined) ? undefined : labels.join('.');
}
