/**
 * Decides which requests may access the page: the first browser with the one-time token, then only with that browser's
 * cookie.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const cookieName = 'latchkey';

export class PageAccess {
  readonly #host: string;
  readonly #usedTokens = new Set<string>();
  readonly #cookies: string[] = [];
  #token = randomSecret();

  /**
   * The page is served on this port, under a host name unknown to other programs. Browsers resolve every name below
   * `localhost` to this machine (RFC 6761, section 6.3), and send a cookie to all ports of its host name.
   */
  constructor(port: number) {
    this.#host = `${randomBytes(16).toString('hex')}.localhost:${port}`;
  }

  /** Returns a new address that works once; the previous one stops working. */
  newAddress(): string {
    this.#token = randomSecret();
    return `http://${this.#host}/?token=${this.#token}`;
  }

  /** Exchanges a token for the cookie to set; `null` if the token is invalid or already used. */
  exchange(token: string): string | null {
    if (this.#usedTokens.has(token) || !isEqual(token, this.#token)) return null;
    this.#usedTokens.add(token);
    const cookie = randomSecret();
    this.#cookies.push(cookie);
    return `${cookieName}=${cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }

  wasUsed(token: string): boolean {
    return this.#usedTokens.has(token);
  }

  hasCookie(request: IncomingMessage): boolean {
    const cookie = readCookie(request.headers.cookie ?? '', cookieName);
    return cookie !== null && this.#cookies.some((known) => isEqual(known, cookie));
  }

  /** True if the request names our host; after DNS rebinding, or by IP address, it names another. */
  hasOwnHost(request: IncomingMessage): boolean {
    return request.headers.host === this.#host;
  }

  /** True if the request comes from our own page; a page on another port or name has another origin. */
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
