/** Finds out which user sent a request, from its Bearer token (RFC 6750, section 2.1). */
import type { IncomingHttpHeaders } from 'node:http';
import type { AccountSnapshots } from '../account-snapshots/account-snapshots.ts';
import type { AccessTokenService } from '../auth/access-token.service.ts';
import type { SignedInUser } from '../auth/signed-in-user.ts';
import { ApiError } from '../errors.ts';

export type BearerAuthDeps = {
  readonly accessTokens: Pick<AccessTokenService, 'verify'>;
  /** Checked with every request, because a token outlives its session and its account. */
  readonly accountSnapshots: Pick<AccountSnapshots, 'isActive'>;
};

export class BearerAuth {
  readonly #deps: BearerAuthDeps;

  constructor(deps: BearerAuthDeps) {
    this.#deps = deps;
  }

  /** Throws `ApiError` INVALID_TOKEN or TOKEN_EXPIRED. */
  async authenticate(headers: IncomingHttpHeaders): Promise<SignedInUser> {
    const grant = await this.#deps.accessTokens.verify(readToken(headers));
    if (!(await this.#deps.accountSnapshots.isActive(grant))) throw new ApiError('INVALID_TOKEN');
    return { id: grant.userId, sessionId: grant.sessionId };
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
