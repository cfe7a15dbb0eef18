/** The rule for every server address: https, or http for a server on this machine. */

/** Excludes names below `localhost`: browsers resolve them to this machine, but the system's resolver may ask DNS. */
const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const label = '[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?';
const host = new RegExp(`^(?:(?:${label}\\.)*${label}\\.?|\\[[0-9a-f:.]+\\])$`);
const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Returns the canonical address (no trailing slash, default port or `/api/v1`), or `null` if it is not allowed. The
 * default scheme is https, or http on loopback.
 * @example normalizeServerAddress('License.Example.org/') // 'https://license.example.org'
 */
export function normalizeServerAddress(input: string): string | null {
  const url = parseUrl(input.trim());
  if (!url || !host.test(url.hostname) || url.port === '0') return null;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopbackHost.test(url.hostname))) return null;
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${url.hostname}${port}${basePath(url.pathname)}`;
}

/**
 * Returns the canonical form of a configured address; throws a sentence if it is not allowed. `source` names the
 * setting. The sentence omits the address, which could contain a password.
 */
export function requireServerAddress(input: string, source: string): string {
  const address = normalizeServerAddress(input);
  if (address === null) throw new Error(`${source} is not allowed: ${serverAddressRule}`);
  return address;
}

/** The rule as the end of a sentence. */
export const serverAddressRule =
  'it must be an https address, or http for a server on this computer (localhost or 127.0.0.1).';

/** Rejects credentials, queries, fragments, whitespace and backslashes. */
function parseUrl(text: string): URL | null {
  if (/[@?#\\\s]/.test(text) || text.startsWith('/')) return null;
  if (scheme.test(text)) return readUrl(text);
  const url = readUrl(`https://${text}`);
  return url && loopbackHost.test(url.hostname) ? readUrl(`http://${text}`) : url;
}

/** Returns `null` if the text is not an absolute URL. Node 20 may lack `URL.parse`. */
export function readUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function basePath(path: string): string {
  const withoutSlashes = path.replace(/\/+$/, '').replace(/\/{2,}/g, '/');
  return withoutSlashes.replace(/\/api\/v1$/, '');
}
