/** The cookie that holds a sign-in while the browser is at the identity provider. */
import type { FastifyRequest } from 'fastify';
import { type Cookie, type CookieSite, createCookie, readCookie } from './site-cookie.ts';

const name = 'latchkey_sign_in';

export function readAttemptCookie(cookies: FastifyRequest['cookies'], site: CookieSite): string | undefined {
  return readCookie(name, cookies, site);
}

/** `lax`, because the browser returns by a link of another site. Without a value, one that removes the cookie. */
export function createAttemptCookie(value: string | undefined, site: CookieSite, maxAgeSeconds: number): Cookie {
  return createCookie(name, value, site, { sameSite: 'lax', maxAgeSeconds });
}
