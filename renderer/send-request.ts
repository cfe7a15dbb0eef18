/** Sends a page's request to the server that served it. */
import { findIntermediary } from '../shared/find-intermediary.ts';
import { type Failure, fail, type Result, succeed } from '../shared/ipc/result.ts';
import { failureNow } from './run-command.ts';

/** Time limit for a response; the server gives up earlier. */
const timeoutMs = 30_000;

type PageRequest = {
  readonly method: string;
  /** Relative to the page. */
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
};

/**
 * Sends the request. Never throws: a call without a response of the server is SERVER_UNREACHABLE, one aborted through
 * `signal` is CANCELED.
 */
export async function sendRequest<T>({ method, url, body, headers, signal }: PageRequest): Promise<Result<T>> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      cache: 'no-store',
      // Followed, it would lead to a page; a browser does not say where.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return await readResponse(response);
  } catch (error) {
    const code = signal?.aborted ? 'CANCELED' : 'SERVER_UNREACHABLE';
    return fail(failureNow(code, String(error)));
  }
}

/**
 * Returns a new value for the Idempotency-Key header, with which a repeated request gets the response of the first one.
 * `crypto.randomUUID` does not exist on a page that was loaded over plain HTTP.
 */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

type ErrorBody = { readonly error?: unknown; readonly code?: unknown };

/**
 * Reads a response. The server that served this page sends what the endpoint table says, so the body is not validated.
 */
export async function readResponse<T>(response: Response): Promise<Result<T>> {
  if (response.type === 'opaqueredirect') return fail(redirected(response.status));
  const text = await response.text();
  const body = parseJson(text);
  if (response.ok && body !== undefined) return succeed(body as T);
  const { error, code } = (body ?? {}) as ErrorBody;
  if (typeof code !== 'string') return fail(failureOf(response, text));
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  const requestId = response.headers.get('x-request-id');
  return fail({
    ...failureNow(code, String(error)),
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
    ...(requestId !== null && { requestId }),
  });
}

/** Returns the failure of a request that was redirected. */
export function redirected(status: number): Failure {
  const respondedInstead = { kind: 'redirect', status } as const;
  return { ...failureNow('SERVER_UNREACHABLE', 'The request was redirected.'), respondedInstead };
}

/** Returns the failure of a response without the server's envelope. */
function failureOf({ status, headers }: Response, body: string): Failure {
  const intermediary = findIntermediary({ status, headers: Object.fromEntries(headers), body });
  const code = intermediary.respondedInstead === undefined ? 'SERVER_RESPONSE_INVALID' : 'SERVER_UNREACHABLE';
  return { ...failureNow(code, `HTTP ${status}`), ...intermediary };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
