/** The cookie that holds a sign-in while the browser is at the identity provider. */
import type { FastifyRequest } from 'fastify';
import type { Cookie } from './session-cookie.ts';

const secureName = '__Host-latchkey_sign_in';
const plainName = 'latchkey_sign_in';

export function readAttemptCookie(cookies: FastifyRequest['cookies'], isSecure: boolean): string | undefined {
  return cookies[isSecure ? secureName : plainName] || undefined;
}

/** `lax`, because the browser returns by a link of another site. Without a value, one that removes the cookie. */
export function createAttemptCookie(value: string | undefined, secure: boolean, maxAgeSeconds: number): Cookie {
  const maxAge = value === undefined ? 0 : maxAgeSeconds;
  const options = { maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  return [secure ? secureName : plainName, value ?? '', options];
}
