/** The server's address as a person types it, made canonical: https, or http on this machine only. */

const loopback = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const hostName = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?$/;
const bracketedIpv6 = /^\[[0-9a-f:.]{2,45}\]$/;

/**
 * The canonical address (no trailing slash, default port or `/api/v1`), or `null` where it may not be used.
 * Without a scheme https is meant, and http on loopback.
 * @example normaliseServerAddress('License.Example.org/') // 'https://license.example.org'
 */
export function normaliseServerAddress(input: string): string | null {
  const parts = /^(?:(https?):\/\/)?([^/?#@\\\s]+)(\/[^?#\\\s]*)?$/i.exec(input.trim());
  if (!parts) return null;
  const authority = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec((parts[2] ?? '').toLowerCase());
  const host = authority?.[1] ?? '';
  if (!hostName.test(host) && !bracketedIpv6.test(host)) return null;
  const scheme = parts[1]?.toLowerCase() ?? (loopback.test(host) ? 'http' : 'https');
  if (scheme === 'http' && !loopback.test(host)) return null;
  const port = authority?.[2] === undefined ? null : Number(authority[2]);
  if (port !== null && (port < 1 || port > 65535)) return null;
  return `${scheme}://${host}${portSuffix(scheme, port)}${basePath(parts[3] ?? '')}`;
}

function portSuffix(scheme: string, port: number | null): string {
  const isDefault = port === null || port === (scheme === 'https' ? 443 : 80);
  return isDefault ? '' : `:${port}`;
}

function basePath(path: string): string {
  const withoutSlashes = path.replace(/\/+$/, '').replace(/\/{2,}/g, '/');
  return withoutSlashes.replace(/\/api\/v1$/, '');
}
