/** The app's links: `latchkey://activate?key=KEY`, `latchkey://open/PLACE` and `latchkey://lease`. */
import { type Place, places } from '../../shared/ipc/open-request.ts';

type DeepLink =
  | { readonly kind: 'activate'; readonly licenseKey: string }
  | { readonly kind: 'open'; readonly place: Place }
  | { readonly kind: 'lease' };

const maxLinkLength = 2000;
const maxKeyLength = 200;

/**
 * Returns what a link asks for; `null` for any that is not exactly one of the three. It is not parsed as a URL, which
 * would tolerate a port, user info, a fragment, line breaks and other parameters.
 */
export function parseDeepLink(link: string, scheme: string): DeepLink | null {
  const start = `${scheme}://`;
  if (link.length > maxLinkLength || !link.startsWith(start)) return null;
  const asked = link.slice(start.length);
  if (asked === 'lease') return { kind: 'lease' };
  const place = places.find((each) => asked === `open/${each}`);
  if (place !== undefined) return { kind: 'open', place };
  // Visible ASCII without # and &, which would start a fragment or another parameter.
  const [, key] = /^activate\?key=([!"$%'-~]+)$/.exec(asked) ?? [];
  const licenseKey = key === undefined ? null : decodeKey(key);
  return licenseKey === null ? null : { kind: 'activate', licenseKey };
}

/** Decodes the form encoding of `URLSearchParams`, in which `+` is a space. */
function decodeKey(encoded: string): string | null {
  try {
    const key = decodeURIComponent(encoded.replaceAll('+', ' ')).trim();
    return key === '' || key.length > maxKeyLength || /\p{C}/u.test(key) ? null : key;
  } catch {
    return null;
  }
}
