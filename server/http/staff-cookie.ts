/** The cookie that holds the session of a member of staff. */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';

/** Browsers accept the prefix only from this host over TLS, so that neither another host nor plain HTTP can set it. */
const secureName = '__Host-latchkey_staff';
const plainName = 'latchkey_staff';

/** The value, if the request has one. Over TLS only a cookie that was set over TLS counts. */
export function readStaffCookie(cookies: FastifyRequest['cookies'], isSecure: boolean): string | undefined {
  return cookies[isSecure ? secureName : plainName] || undefined;
}

/** The arguments of Fastify's `reply.setCookie`. */
export type Cookie = readonly [name: string, value: string, options: CookieSerializeOptions];

/** Without a token, one that removes the cookie. */
export function createStaffCookie(token: string | undefined, secure: boolean, maxAgeSeconds: number): Cookie {
  const maxAge = token === undefined ? 0 : maxAgeSeconds;
  const options = { maxAge, path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
  return [secure ? secureName : plainName, token ?? '', options];
}
