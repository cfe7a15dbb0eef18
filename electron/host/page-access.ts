/** Who may see the page: whoever brings the one-time token first, and from then on that browser by its cookie. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type PageAccess = {
  /** A new address to open; it works once, and the one before it no more. */
  readonly newAddress: () => string;
  /** Whether the request is addressed to us by our own name: a rebound DNS name is not. */
  readonly isForUs: (request: IncomingMessage) => boolean;
  /** Uses up a token: the cookie to set, or `null` where it is none or was used. */
  readonly exchange: (token: string) => string | null;
  /** Whether somebody came with that token before. */
  readonly wasUsed: (token: string) => boolean;
  readonly hasCookie: (request: IncomingMessage) => boolean;
  /** Whether a page of exactly this origin asks; other ports of this machine are other origins. */
  readonly isOwnOrigin: (request: IncomingMessage) => boolean;
};

/** Access to the page on one port of 127.0.0.1. */
export function createPageAccess(port: number): PageAccess {
  const host = `127.0.0.1:${port}`;
  const cookieName = `latchkey-${port}`;
  const used = new Set<string>();
  const sessions: string[] = [];
  let current = secret();

  return {
    newAddress: () => {
      current = secret();
      return `http://${host}/?token=${current}`;
    },
    isForUs: (request) => request.headers.host === host,
    exchange: (token) => {
      if (used.has(token) || !isSame(token, current)) return null;
      used.add(token);
      const session = secret();
      sessions.push(session);
      return `${cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
    },
    wasUsed: (token) => used.has(token),
    hasCookie: (request) => {
      const given = readCookie(request.headers.cookie ?? '', cookieName);
      return given !== null && sessions.some((session) => isSame(session, given));
    },
    isOwnOrigin: (request) => request.headers.origin === `http://${host}`,
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}

function readCookie(header: string, name: string): string | null {
  const pair = header.split(/; */).find((each) => each.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
