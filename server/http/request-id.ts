/** The id of a request: in its response, and in every line of the log about it. */
import type { IncomingMessage } from 'node:http';
import type { Random } from '../random.ts';
import type { IsTrusted } from './client-address.ts';

/** In lower case, as Node names the headers of a request. */
export const requestIdHeader = 'x-request-id';

/** 12 characters, which say nothing about how many requests there were. */
const idBytes = 9;

/** What proxies use as ids, and nothing that could break a line of a log or of a header. */
const acceptedId = /^[\w.:/+=@-]{1,100}$/;

export type RequestIdDeps = {
  readonly random: Random;
  readonly isTrusted: IsTrusted;
};

/** A trusted proxy may choose the id, so that its log and ours name a request alike. Any other client's header is ignored. */
export function createRequestIds({ random, isTrusted }: RequestIdDeps): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const given = headers[requestIdHeader];
    if (typeof given === 'string' && isTrusted(socket.remoteAddress, 0) && acceptedId.test(given)) return given;
    return random(idBytes).toString('base64url');
  };
}
