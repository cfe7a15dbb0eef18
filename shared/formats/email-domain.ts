/** The domain of an email address as mail is sent to it, by the mapping of UTS 46 that browsers and mail programs use. */
import { decodePunycode } from './punycode.ts';

/** Node and browsers have it; here only the part of it that maps a host. */
declare const URL: new (text: string) => { readonly hostname: string };

const label = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;

/**
 * The same for every spelling of a domain: upper and lower case, letters such as `ｇ` and `𝐠` that are mapped to others,
 * Punycode and what it stands for. In Unicode; `undefined` for what is no domain, or an IP address.
 */
export function readDomain(text: string): string | undefined {
  const ascii = areLabels(text) ? toAscii(text) : undefined;
  if (ascii === undefined || isNumber(ascii)) return undefined;
  const lowerCase = text.toLowerCase();
  // Most domains are in ASCII.
  if (lowerCase === ascii && !ascii.includes('xn--')) return ascii;
  // Case must not matter, but for a few letters it is another domain in lower case, such as for Σ at the end.
  if (toAscii(lowerCase) !== ascii) return undefined;
  const domain = toUnicode(ascii);
  return domain !== undefined && areLabels(domain) && toAscii(domain) === ascii ? domain : undefined;
}

/** At least two. */
function areLabels(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every((text) => label.test(text));
}

/** Of labels: neither a port nor a path can be in them. */
function toAscii(domain: string): string | undefined {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return undefined;
  }
}

/** Whether a host ends in a number, and so is an IP address. */
function isNumber(host: string): boolean {
  return /\.\d+$/.test(host);
}

function toUnicode(ascii: string): string | undefined {
  const labels = ascii.split('.').map((text) => (text.startsWith('xn--') ? decodePunycode(text.slice(4)) : text));
  return labels.includes(undefined) ? undefined : labels.join('.');
}
