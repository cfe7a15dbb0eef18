/** Loads a text outside the API, e.g. of the update feed. */
import { findIntermediary } from '../../shared/find-intermediary.ts';
import { maxResponseBytes, noResponse, rateLimited, timeoutMs } from './api-client.ts';
import type { ApiResult } from './api-response.ts';
import { failureNow } from './failure.ts';
import type { Clock, Http } from './platform.ts';

export type LoadTextDeps = {
  readonly http: Http;
  readonly clock: Clock;
  /** How the client identifies itself. */
  readonly userAgent: string;
  /** Cancels the request. */
  readonly signal: AbortSignal;
};

/** Never rejects; `unsupported` means 404. */
export async function loadText(
  { http, clock, userAgent, signal }: LoadTextDeps,
  url: string,
): Promise<ApiResult<string>> {
  const headers = { accept: '*/*', 'user-agent': userAgent };
  const result = await http.send({ method: 'GET', url, headers, timeoutMs, maxResponseBytes, signal });
  if (!result.ok) return noResponse(clock, result.reason, result.message);
  const { status, body } = result.response;
  const intermediary = findIntermediary(result.response);
  // Not a text of the server that the publisher has not signed, but the page of a network.
  if (intermediary.respondedInstead?.kind === 'web-page') {
    const failure = failureNow(
      clock,
      'SERVER_UNREACHABLE',
      'A web page responded instead of the server.',
      intermediary,
    );
    return { kind: 'inconclusive', failure };
  }
  if (status === 200) return { kind: 'success', response: body, serverTimeMs: null };
  if (status === 404)
    return { kind: 'unsupported', failure: failureNow(clock, 'NOT_SUPPORTED_BY_SERVER', 'There is none.') };
  if (status === 429) return rateLimited(clock, 60_000);
  const [code, message] =
    status >= 500
      ? (['SERVICE_UNAVAILABLE', 'The server cannot answer now.'] as const)
      : (['SERVER_RESPONSE_INVALID', 'The response is not from a license server.'] as const);
  return { kind: 'inconclusive', failure: failureNow(clock, code, message) };
}
