/** The cookies of this server's pages: with which requests browsers send them, and who can set them. */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { browserSessionTtlMs } from '../auth/browser-session.rules.ts';
import type { Site } from '../staff/signed-in-staff.ts';
import type { Browser } from '../staff/staff-session.service.ts';

type CookieSite = Pick<Site, 'isSecure' | 'basePath'>;

/** Arguments of Fastify's `reply.setCookie`. */
type Cookie = readonly [name: string, value: string, options: CookieSerializeOptions];

/**
 * Returns the full cookie name; over TLS it has a prefix (RFC 6265bis, section 4.1.3). `__Host-` means that only this
 * host can have set the cookie, but it requires the path `/`. With a base path it is `__Secure-`, which only says that
 * the cookie was set over TLS.
 */
function nameAt(site: CookieSite, name: string): string {
  if (!site.isSecure) return name;
  return `${site.basePath === '' ? '__Host-' : '__Secure-'}${name}`;
}

/** Returns the cookie's value, if present. Over TLS, only a cookie that was set over TLS is accepted. */
function readCookie(name: string, cookies: FastifyRequest['cookies'], site: CookieSite): string | undefined {
  return cookies[nameAt(site, name)] || undefined;
}

/** Creates a cookie that scripts cannot read. Without a value, it removes the cookie. */
function createCookie(
  name: string,
  value: string | undefined,
  site: CookieSite,
  { sameSite, maxAgeSeconds }: { readonly sameSite: 'strict' | 'lax'; readonly maxAgeSeconds: number },
): Cookie {
  const maxAge = value === undefined ? 0 : maxAgeSeconds;
  const path = site.basePath || '/';
  return [nameAt(site, name), value ?? '', { maxAge, path, httpOnly: true, sameSite, secure: site.isSecure }];
}

/** Which session a cookie holds: that of a member of staff on the admin page, or that of the account page. */
type SessionKind = 'staff' | 'account';

export function readSessionCookie(
  kind: SessionKind,
  cookies: FastifyRequest['cookies'],
  site: CookieSite,
): string | undefined {
  return readCookie(`latchkey_${kind}`, cookies, site);
}

/** Describes the browser that signs in to a page of this server, from its request. */
export function browserOf({ headers, cookies, ip: address, site }: FastifyRequest, page: SessionKind): Browser {
  const previousToken = readSessionCookie(page, cookies, site);
  return { address, userAgent: headers['user-agent'] ?? '', ...(previousToken !== undefined && { previousToken }) };
}

/** Creates the cookie of a session. Without a token, it removes the cookie. */
export function createSessionCookie(kind: SessionKind, token: string | undefined, site: CookieSite): Cookie {
  return createCookie(`latchkey_${kind}`, token, site, {
    sameSite: 'strict',
    maxAgeSeconds: browserSessionTtlMs / 1000,
  });
}

const attemptName = 'latchkey_sign_in';

/** Reads the cookie of a sign-in in progress, while the browser is at the identity provider. */
export function readAttemptCookie(cookies: FastifyRequest['cookies'], site: CookieSite): string | undefined {
  return readCookie(attemptName, cookies, site);
}

/**
 * Creates the cookie of a sign-in in progress: `lax`, because the browser returns through a link from another site.
 * Without a value, it removes the cookie.
 */
export function createAttemptCookie(value: string | undefined, site: CookieSite, maxAgeSeconds: number): Cookie {
  return createCookie(attemptName, value, site, { sameSite: 'lax', maxAgeSeconds });
}
