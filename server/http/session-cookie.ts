/** The cookies that hold a session: that of a member of staff on the admin page, and that of the account page. */
import type { FastifyRequest } from 'fastify';
import { browserSessionTtlMs } from '../auth/browser-session.rules.ts';
import { type Cookie, type CookieSite, createCookie, readCookie } from './site-cookie.ts';

/** Of which page. */
export type SessionKind = 'staff' | 'account';

/** The value, if the request has one. */
export function readSessionCookie(
  kind: SessionKind,
  cookies: FastifyRequest['cookies'],
  site: CookieSite,
): string | undefined {
  return readCookie(`latchkey_${kind}`, cookies, site);
}

/** Without a token, one that removes the cookie. */
export function createSessionCookie(kind: SessionKind, token: string | undefined, site: CookieSite): Cookie {
  return createCookie(`latchkey_${kind}`, token, site, {
    sameSite: 'strict',
    maxAgeSeconds: browserSessionTtlMs / 1000,
  });
}
