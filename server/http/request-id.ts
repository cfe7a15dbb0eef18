/** The id of a request, sent in its response and logged in every line about it. */
import type { IncomingMessage } from 'node:http';
import type { Random } from '../random.ts';
import type { IsTrusted } from './client-address.ts';

/** In lower case, as Node names request headers. */
export const requestIdHeader = 'x-request-id';

/** Gives 12 characters, which reveal nothing about the number of requests. */
const idBytes = 9;

/** Matches the ids that proxies use, and nothing that could break a line of a log or header. */
const acceptedId = /^[\w.:/+=@-]{1,100}$/;

type RequestIdDeps = {
  readonly random: Random;
  readonly isTrusted: IsTrusted;
};

/**
 * Creates a function that assigns the ids. A trusted proxy may choose the id, so that both logs use the same one; the
 * header of any other client is ignored.
 */
export function createRequestIds({ random, isTrusted }: RequestIdDeps): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const given = headers[requestIdHeader];
    if (typeof given === 'string' && isTrusted(socket.remoteAddress, 0) && acceptedId.test(given)) return given;
    return random(idBytes).toString('base64url');
  };
}
