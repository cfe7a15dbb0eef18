/** Recognizes a response that is not from the server, but from something between it and the client. */
import type { Failure } from './ipc/result.ts';

type HttpResponse = {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/**
 * Returns what responded in place of the server, as far as the response shows: a page or a redirect, such as a network
 * sends that wants the user to sign in (its status is 511 in RFC 6585), or a gateway whose server is down.
 */
export function findIntermediary({ status, headers, body }: HttpResponse): Pick<Failure, 'respondedInstead'> {
  const isPage = /html/i.test(headers['content-type'] ?? '') || /^\s*<(?:!doctype\s+)?html/i.test(body);
  const isRedirect = status >= 300 && headers.location !== undefined;
  if (status === 511 || (status < 400 && (isPage || isRedirect)))
    return { respondedInstead: { kind: 'web-page', status } };
  return status > 501 && status < 505 ? { respondedInstead: { kind: 'gateway', status } } : {};
}
