/** The cookies that hold a session: that of a member of staff on the admin page, and that of the account page. */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { browserSessionTtlMs } from '../auth/browser-session.rules.ts';

/** Of which page. */
export type SessionKind = 'staff' | 'account';

/** Over TLS with a prefix: browsers accept it only from this host over TLS, so that nobody else can set the cookie. */
function nameOf(kind: SessionKind, isSecure: boolean): string {
  return isSecure ? `__Host-latchkey_${kind}` : `latchkey_${kind}`;
}

/** The value, if the request has one. Over TLS only a cookie that was set over TLS counts. */
export function readSessionCookie(
  kind: SessionKind,
  cookies: FastifyRequest['cookies'],
  isSecure: boolean,
): string | undefined {
  return cookies[nameOf(kind, isSecure)] || undefined;
}

/** The arguments of Fastify's `reply.setCookie`. */
export type Cookie = readonly [name: string, value: string, options: CookieSerializeOptions];

/** Without a token, one that removes the cookie. */
export function createSessionCookie(kind: SessionKind, token: string | undefined, secure: boolean): Cookie {
  const maxAge = token === undefined ? 0 : browserSessionTtlMs / 1000;
  const options = { maxAge, path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
  return [nameOf(kind, secure), token ?? '', options];
}
