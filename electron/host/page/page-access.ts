/** Decides which requests may see the page: the first browser with the one-time token, and then that browser's cookie. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export class PageAccess {
  readonly #host: string;
  readonly #cookieName: string;
  readonly #usedTokens = new Set<string>();
  readonly #sessions: string[] = [];
  #token = randomSecret();

  /** The page is served on this port of 127.0.0.1. */
  constructor(port: number) {
    this.#host = `127.0.0.1:${port}`;
    this.#cookieName = `latchkey-${port}`;
  }

  /** A new address that works once; the previous one stops working. */
  newAddress(): string {
    this.#token = randomSecret();
    return `http://${this.#host}/?token=${this.#token}`;
  }

  /** Exchanges a token for the cookie to set; `null` if the token is invalid or was used before. */
  exchange(token: string): string | null {
    if (this.#usedTokens.has(token) || !isEqual(token, this.#token)) return null;
    this.#usedTokens.add(token);
    const session = randomSecret();
    this.#sessions.push(session);
    return `${this.#cookieName}=${session}; HttpOnly; SameSite=Strict; Path=/`;
  }

  wasUsed(token: string): boolean {
    return this.#usedTokens.has(token);
  }

  hasCookie(request: IncomingMessage): boolean {
    const cookie = readCookie(request.headers.cookie ?? '', this.#cookieName);
    return cookie !== null && this.#sessions.some((session) => isEqual(session, cookie));
  }

  /** Whether the request names our address as its host; after DNS rebinding it names another one. */
  hasOwnHost(request: IncomingMessage): boolean {
    return request.headers.host === this.#host;
  }

  /** Whether the request comes from our own page; a page on another port has another origin. */
  hasOwnOrigin(request: IncomingMessage): boolean {
    return request.headers.origin === `http://${this.#host}`;
  }
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

function readCookie(header: string, name: string): string | null {
  const pair = header.split(/; */).find((each) => each.startsWith(`${name}=`));
  return pair === undefined ? null : pair.slice(name.length + 1);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
