/**
 * The base path: the path of LATCHKEY_PUBLIC_URL, below which everything of the server is reached. Routes do not have it.
 * A proxy may pass it on or take it away, so a request with it and one without it are the same.
 */

/** What the server serves, without a base path. */
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

/** Letters, digits and `-._~` (RFC 3986, section 2.3), which mean the same in URLs, cookies and configurations of proxies. */
const wellFormed = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*\/?$/;

/** `/latchkey`, or an empty text where there is none. */
export function basePathOf(publicUrl: URL | undefined): string {
  return publicUrl === undefined ? '' : publicUrl.pathname.replace(/\/$/, '');
}

/** Whether this path, as somebody wrote it in a URL, can be a base path. A slash at its end does not matter. */
export function isBasePath(path: string): boolean {
  return wellFormed.test(path) && !isOwnPath(path.replace(/\/$/, ''));
}

/**
 * Below a path that begins like one of the server's own, it could not be told whether the proxy took it away. One that ends
 * like it is the address of a page or of the API instead of the server's.
 */
function isOwnPath(path: string): boolean {
  return (
    path !== '' &&
    ownPaths.some((own) => `${own}/`.startsWith(`${path}/`) || path.startsWith(`${own}/`) || path.endsWith(own))
  );
}

/**
 * The target of a request without the base path, for Fastify's `rewriteUrl`. One that does not have it is left as it is.
 * A target may be a whole URL (RFC 9112, section 3.2.2).
 */
export function withoutBasePath(target: string, basePath: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '');
  if (!path.startsWith(basePath)) return target;
  const rest = path.slice(basePath.length);
  if (rest === '' || rest.startsWith('?')) return `/${rest}`;
  return rest.startsWith('/') ? rest : target;
}
