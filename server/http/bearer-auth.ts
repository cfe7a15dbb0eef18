/** Reads the Bearer token of a request (RFC 6750 §2.1) and says whose it is. */
import type { IncomingHttpHeaders } from 'node:http';
import type { AccessTokens } from '../auth/access-token.ts';
import { ApiError } from '../errors.ts';

/** The signed-in account of a request. */
export type SignedIn = { readonly id: string };

export type Authenticate = (headers: IncomingHttpHeaders) => Promise<SignedIn>;

/** `accountExists` is asked on every request: a token outlives the account that it was made for. */
export function createBearerAuth(
  accessTokens: AccessTokens,
  accountExists: (accountId: string) => Promise<boolean>,
): Authenticate {
  return async (headers) => {
    const id = await accessTokens.verify(readToken(headers));
    if (!(await accountExists(id))) throw new ApiError('INVALID_TOKEN');
    return { id };
  };
}

function readToken({ authorization }: IncomingHttpHeaders): string {
  if (authorization === undefined) {
    throw new ApiError('INVALID_TOKEN', 'This address wants a signed-in account: send Authorization: Bearer <token>.');
  }
  const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('INVALID_TOKEN', 'The Authorization header must have the form: Bearer <token>.');
  return token;
}
