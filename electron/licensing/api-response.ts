/** Interprets an HTTP response using the endpoint table: success, error, unsupported, or inconclusive. */
import type { Endpoint } from '../../shared/api/endpoints.ts';
import { type ErrorEnvelope, errorEnvelope, errorTable } from '../../shared/api/errors.ts';
import { lastTimestampMs } from '../../shared/api/fields.ts';
import { findIntermediary } from '../../shared/find-intermediary.ts';
import { maxLeaseText } from '../../shared/formats/lease-text.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { codeOfServer, redact, toTimestamp, truncateMessage } from './failure.ts';
import type { HttpResponse } from './platform.ts';

export type ApiResult<Response> =
  /** The server did what was asked. `serverTimeMs` is its time, if it sent a `Date`. */
  | { readonly kind: 'success'; readonly response: Response; readonly serverTimeMs: number | null }
  /** The server sent a valid error envelope. */
  | { readonly kind: 'error'; readonly failure: Failure }
  /** The server lacks the extension, or has nothing published there. */
  | { readonly kind: 'unsupported'; readonly failure: Failure }
  /**
   * Proves nothing, so it ends nothing: no response, too many requests, a failing server, or something else responded.
   */
  | { readonly kind: 'inconclusive'; readonly failure: Failure };

type ReadContext = {
  readonly nowMs: number;
  /** Sent values that must not come back in a message. */
  readonly secrets: readonly string[];
};

/** Returns what a response means for the call. */
export function readResponse(endpoint: Endpoint, http: HttpResponse, context: ReadContext): ApiResult<unknown> {
  const body = parseJson(endpoint.auth === 'bearer' ? redact(http.body, context.secrets) : http.body);
  const envelope = errorEnvelope.safeParse(body).data;
  const failure = (code: string, message: string, retryAfterSeconds?: number): Failure => ({
    code,
    message: truncateMessage(redact(message, context.secrets)),
    at: toTimestamp(context.nowMs),
    ...readRequestId(http),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(code === 'SERVER_UNREACHABLE' && !envelope ? findIntermediary(http) : null),
  });
  const inconclusive = (code: string, message: string, retryAfterSeconds?: number): ApiResult<unknown> => ({
    kind: 'inconclusive',
    failure: failure(code, message, retryAfterSeconds),
  });

  if (http.status === 429) {
    const seconds = readRetryAfter(http.headers['retry-after'], context.nowMs) ?? defaultRetryAfterSeconds;
    return inconclusive('RATE_LIMITED', envelope?.error ?? 'Too many requests.', seconds);
  }
  if (lacksExtension(endpoint, http.status, envelope)) {
    return { kind: 'unsupported', failure: failure('NOT_SUPPORTED_BY_SERVER', 'The server does not support this.') };
  }
  if (http.status >= 500) {
    const seconds = readRetryAfter(http.headers['retry-after'], context.nowMs) ?? undefined;
    const message = envelope?.error ?? `The server responded with status ${http.status}.`;
    return inconclusive(failingCode(envelope) ?? 'SERVER_UNREACHABLE', message, seconds);
  }
  if (body === undefined || (http.status >= 300 && http.status < 400) || http.status < 200) {
    return inconclusive('SERVER_UNREACHABLE', `The response with status ${http.status} is not from the server.`);
  }
  // The API does not specify the status of a `valid: false`, so any status is accepted.
  const parsed = http.status < 300 || endpoint.invalidCodes ? endpoint.response.safeParse(body) : null;
  if (parsed?.success) return { kind: 'success', response: parsed.data, serverTimeMs: readServerTime(http) };
  if (envelope && http.status !== 408) {
    const maxSeconds = envelope.code === 'MAX_ACTIVATIONS_REACHED' ? maxPlaceWaitSeconds : maxRetryAfterSeconds;
    const seconds = readRetryAfter(http.headers['retry-after'], context.nowMs, maxSeconds) ?? undefined;
    const code = codeOfServer(redact(envelope.code, context.secrets));
    return { kind: 'error', failure: failure(code, envelope.error, seconds) };
  }
  if (isOtherResponse(endpoint, body)) {
    return { kind: 'unsupported', failure: failure('NOT_FOUND', 'The server has published nothing there.') };
  }
  return inconclusive('SERVER_RESPONSE_INVALID', `The response with status ${http.status} has an unexpected shape.`);
}

function lacksExtension(endpoint: Endpoint, status: number, envelope: ErrorEnvelope | undefined): boolean {
  if (!endpoint.extension || (status !== 404 && status !== 405 && status !== 501)) return false;
  return !endpoint.errors.some((code) => code === envelope?.code);
}

/** Returns the code if it belongs to a 5xx, else `null`: any other code would pass for an answer. */
function failingCode(envelope: ErrorEnvelope | undefined): string | null {
  const statuses: Readonly<Record<string, { readonly status: number }>> = errorTable;
  return envelope && (statuses[envelope.code]?.status ?? 0) >= 500 ? envelope.code : null;
}

function isOtherResponse(endpoint: Endpoint, body: unknown): boolean {
  return Object.values(endpoint.otherResponses ?? {}).some((schema) => schema.safeParse(body).success);
}

/** Limit for texts other than leases and tokens: showing a longer one would freeze the window. */
const maxTextLength = 1000;

/** Parses JSON; texts over the limit are truncated. */
function parseJson(text: string): unknown {
  const limitOf = (key: string) => (/^lease$|_token$/.test(key) ? maxLeaseText : maxTextLength);
  try {
    return JSON.parse(text, (key, value) => (typeof value === 'string' ? value.slice(0, limitOf(key)) : value));
  } catch {
    return undefined;
  }
}

function readRequestId(http: HttpResponse): { requestId?: string } {
  const id = http.headers['x-request-id'];
  return id !== undefined && /^[\x21-\x7e]{1,100}$/.test(id) ? { requestId: id } : {};
}

/** Returns the time of the `Date` header; `null` without one, or if a cache responded: its `Date` is older. */
export function readServerTime(http: HttpResponse): number | null {
  if (http.headers.age !== undefined) return null;
  return parseServerTime(http.headers.date ?? '');
}

/**
 * Returns milliseconds since 1970; `null` if the text is no time from 1970 to 9999, as no document can store another.
 */
export function parseServerTime(text: string): number | null {
  const timeMs = Date.parse(text);
  return timeMs >= 0 && timeMs <= lastTimestampMs ? timeMs : null;
}

/** Used for a 429 without `Retry-After`. */
const defaultRetryAfterSeconds = 30;
const maxRetryAfterSeconds = 3600;
/** At the device limit, it says when a place becomes free, perhaps months ahead. Nothing waits for that. */
const maxPlaceWaitSeconds = 10 * 366 * 86_400;

/**
 * Returns the whole seconds of a `Retry-After` header (a number or an HTTP date), at least 1 and at most `maxSeconds`;
 * otherwise `null`.
 */
export function readRetryAfter(
  header: string | undefined,
  nowMs: number,
  maxSeconds: number = maxRetryAfterSeconds,
): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  if (!Number.isFinite(seconds)) return null;
  return Math.min(maxSeconds, Math.max(1, seconds));
}

/** An HTTP date begins with the weekday; `Date.parse` alone accepts almost anything. */
function secondsUntil(date: string, nowMs: number): number {
  return /^[A-Z][a-z]{2,8}, /.test(date) ? Math.ceil((Date.parse(date) - nowMs) / 1000) : Number.NaN;
}
