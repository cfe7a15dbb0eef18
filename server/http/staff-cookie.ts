/** The cookie that holds the session of a member of staff. */
import type { IncomingHttpHeaders } from 'node:http';

/** Browsers accept the prefix only from this host over TLS, so that neither another host nor plain HTTP can set it. */
const secureName = '__Host-latchkey_staff';
const plainName = 'latchkey_staff';

/** The value, if the request has one. Over TLS only a cookie that was set over TLS counts. */
export function readStaffCookie({ cookie = '' }: IncomingHttpHeaders, isSecure: boolean): string | undefined {
  const name = isSecure ? secureName : plainName;
  for (const part of cookie.split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}

/** The header Set-Cookie; without a token, one that removes the cookie. */
export function formatStaffCookie(token: string | undefined, { isSecure, maxAgeSeconds }: CookieOptions): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])];
  const age = token === undefined ? 0 : maxAgeSeconds;
  return [`${isSecure ? secureName : plainName}=${token ?? ''}`, `Max-Age=${age}`, ...attributes].join('; ');
}

export type CookieOptions = { readonly isSecure: boolean; readonly maxAgeSeconds: number };
