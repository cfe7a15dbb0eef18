/** A cookie for the pages of this server: which requests browsers send it with, and who can set it. */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import type { Site } from '../staff/signed-in-staff.ts';

export type CookieSite = Pick<Site, 'isSecure' | 'basePath'>;

/** The arguments of Fastify's `reply.setCookie`. */
export type Cookie = readonly [name: string, value: string, options: CookieSerializeOptions];

/**
 * Over TLS with a prefix (RFC 6265bis, section 4.1.3). `__Host-` is for cookies that only this host can set, which must
 * have the path `/`; so where there is a base path it is `__Secure-`, which says only that the cookie was set over TLS.
 */
function nameAt(site: CookieSite, name: string): string {
  if (!site.isSecure) return name;
  return `${site.basePath === '' ? '__Host-' : '__Secure-'}${name}`;
}

/** The value, if the request has one. Over TLS only a cookie that was set over TLS counts. */
export function readCookie(name: string, cookies: FastifyRequest['cookies'], site: CookieSite): string | undefined {
  return cookies[nameAt(site, name)] || undefined;
}

/** No script can read it. Without a value, one that removes the cookie. */
export function createCookie(
  name: string,
  value: string | undefined,
  site: CookieSite,
  { sameSite, maxAgeSeconds }: { readonly sameSite: 'strict' | 'lax'; readonly maxAgeSeconds: number },
): Cookie {
  const maxAge = value === undefined ? 0 : maxAgeSeconds;
  const path = site.basePath || '/';
  return [nameAt(site, name), value ?? '', { maxAge, path, httpOnly: true, sameSite, secure: site.isSecure }];
}
