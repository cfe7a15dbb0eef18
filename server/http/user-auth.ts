/** Determines which user sent a request, from its bearer token (RFC 6750, section 2.1) or the account page's cookie. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { SnapshotCache } from '../account-snapshots/snapshot-cache.ts';
import type { AccessTokenService } from '../auth/access-token.service.ts';
import type { BrowserSessionService } from '../auth/browser-session.service.ts';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import { ApiError } from '../errors.ts';
import { readSessionCookie } from './cookies.ts';
import { requireSameOrigin } from './request-site.ts';

type UserAuthDeps = {
  readonly accessTokens: Pick<AccessTokenService, 'verify'>;
  /** Checked with every request, because a token may outlive its session and its account. */
  readonly accountSnapshots: Pick<SnapshotCache, 'isActive'>;
  readonly browserSessions: Pick<BrowserSessionService, 'authenticate'>;
  /** True if the account page is enabled. Otherwise cookies are ignored. */
  readonly accountPage: boolean;
  /** The public URL of the deployment; `undefined` if it is not set. */
  readonly publicUrl: URL | undefined;
};

export class UserAuth {
  readonly #deps: UserAuthDeps;

  constructor(deps: UserAuthDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the signed-in user. If there is an `Authorization` header, the cookie is ignored. Throws `ApiError`
   * INVALID_TOKEN or TOKEN_EXPIRED, and FORBIDDEN for a request that a page of another site made the browser send.
   */
  async authenticate(request: FastifyRequest): Promise<SignedInUser> {
    const { headers } = request;
    const cookie = headers.authorization === undefined ? this.#readCookie(request) : undefined;
    return cookie === undefined ? this.#byToken(headers) : this.#byCookie(request, cookie);
  }

  async #byToken(headers: IncomingHttpHeaders): Promise<SignedInUser> {
    const grant = await this.#deps.accessTokens.verify(readToken(headers));
    if (!(await this.#deps.accountSnapshots.isActive(grant))) throw new ApiError('INVALID_TOKEN');
    return { id: grant.userId, sessionId: grant.sessionId, isBrowser: false };
  }

  async #byCookie(request: FastifyRequest, cookie: string): Promise<SignedInUser> {
    const { browserSessions, publicUrl } = this.#deps;
    if (request.method !== 'GET') requireSameOrigin(request, publicUrl);
    const session = await browserSessions.authenticate(cookie);
    if (!session) throw new ApiError('INVALID_TOKEN', 'Your session has ended. Sign in again.');
    return { id: session.userId, sessionId: session.sessionId, isBrowser: true };
  }

  #readCookie(request: FastifyRequest): string | undefined {
    if (!this.#deps.accountPage || request.headers.cookie === undefined) return undefined;
    return readSessionCookie('account', request.cookies, request.site);
  }
}

function readToken({ authorization }: IncomingHttpHeaders): string {
  if (authorization === undefined) {
    throw new ApiError('INVALID_TOKEN', 'Authentication required: send Authorization: Bearer <token>.');
  }
  const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('INVALID_TOKEN', 'The Authorization header must have the form: Bearer <token>.');
  return token;
}
