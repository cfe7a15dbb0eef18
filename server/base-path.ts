/**
 * The base path: the path of LATCHKEY_PUBLIC_URL, under which the whole server is reached. Routes do not contain it. A
 * proxy may pass it on or strip it, so requests with and without it are treated alike.
 */

/** Paths that the server serves, without a base path. */
const ownPaths = [
  '/account',
  '/admin',
  '/api/docs',
  '/api/v1',
  '/assets',
  '/confirm',
  '/healthz',
  '/invitation',
  '/metrics',
  '/readyz',
  '/reset',
  '/updates',
  '/.well-known',
] as const;

/**
 * Letters, digits and `-._~` (RFC 3986, section 2.3), which mean the same in URLs, cookies and proxy configurations.
 */
const wellFormed = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/;

/** Returns the base path, for example `/latchkey`, or an empty string if there is none. */
export function basePathOf(publicUrl: URL | undefined): string {
  return publicUrl === undefined ? '' : publicUrl.pathname.replace(/\/$/, '');
}

/** True if this path, as written in a URL, can be a base path. A trailing slash does not matter. */
export function isBasePath(path: string): boolean {
  return wellFormed.test(path) && !isOwnPath(path.replace(/\/$/, ''));
}

/**
 * True if a base path would be ambiguous: if it begins like one of the server's own paths, it would be unclear whether
 * the proxy has stripped it; if it ends like one, it is the address of a page or of the API rather than the server's.
 */
function isOwnPath(path: string): boolean {
  return (
    path !== '' &&
    ownPaths.some((own) => `${own}/`.startsWith(`${path}/`) || path.startsWith(`${own}/`) || path.endsWith(own))
  );
}

/**
 * Returns the target of a request without the base path, for Fastify's `rewriteUrl`. A target without it is returned
 * unchanged. A target may be an absolute URL (RFC 9112, section 3.2.2).
 */
export function withoutBasePath(target: string, basePath: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  if (!path.startsWith(basePath)) return target;
  const rest = path.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}
