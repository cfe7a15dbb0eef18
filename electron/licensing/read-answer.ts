/** Judges one HTTP answer by the endpoint table: answer, refusal, missing, or nothing conclusive. Pure. */
import type { z } from 'zod';
import type { Endpoint } from '../../shared/api/endpoints.ts';
import { type ErrorEnvelope, errorEnvelope } from '../../shared/api/errors.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { boundCode, boundSentence, concealSecrets, instantOf } from './failure.ts';
import type { HttpResponse } from './platform.ts';
import { parseRetryAfter, waitAfterTooMany } from './retry-after.ts';

export type ApiOutcome<Answer> =
  /** The server answered the question. `serverTimeMs` is its clock, where it told it. */
  | { readonly kind: 'answer'; readonly answer: Answer; readonly serverTimeMs: number | null }
  /** The server refused in a valid envelope. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The server lacks the extension, or has nothing published there. */
  | { readonly kind: 'missing'; readonly failure: Failure }
  /** Nothing that may end anything: no answer, too many requests, a broken server, not our server at all. */
  | { readonly kind: 'inconclusive'; readonly failure: Failure };

export type ReadContext = {
  readonly nowMs: number;
  /** What was sent and must not come back in a message. */
  readonly secrets: readonly string[];
};

/** What one answer means for the call that was made. */
export function readAnswer(endpoint: Endpoint, http: HttpResponse, context: ReadContext): ApiOutcome<unknown> {
  const body = parseJson(endpoint.auth === 'bearer' ? concealSecrets(http.body, context.secrets) : http.body);
  const envelope = errorEnvelope.safeParse(body).data;
  const failure = (code: string, message: string, retryAfterSeconds?: number): Failure => ({
    code: boundCode(concealSecrets(code, context.secrets)),
    message: boundSentence(concealSecrets(message, context.secrets)),
    at: instantOf(context.nowMs),
    ...requestIdOf(http),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  const inconclusive = (code: string, message: string, wait?: number): ApiOutcome<unknown> => ({
    kind: 'inconclusive',
    failure: failure(code, message, wait),
  });

  if (http.status === 429) {
    const wait = waitAfterTooMany(http.headers['retry-after'], context.nowMs);
    return inconclusive('RATE_LIMITED', envelope?.error ?? 'The server asks to wait.', wait);
  }
  if (lacksExtension(endpoint, http.status, envelope)) {
    return { kind: 'missing', failure: failure('NOT_SUPPORTED_BY_SERVER', 'The server does not offer this.') };
  }
  if (http.status >= 500) {
    const wait = parseRetryAfter(http.headers['retry-after'], context.nowMs) ?? undefined;
    return inconclusive(
      envelope?.code ?? 'SERVER_UNREACHABLE',
      envelope?.error ?? `The server answered with status ${http.status}.`,
      wait,
    );
  }
  if (body === undefined || (http.status >= 300 && http.status < 400) || http.status < 200) {
    return inconclusive('SERVER_UNREACHABLE', `Something answered with status ${http.status}, but not the server.`);
  }
  const answer = answerIn(endpoint, http.status, body);
  if (answer?.success) return { kind: 'answer', answer: answer.data, serverTimeMs: serverTimeOf(http) };
  if (envelope && http.status !== 408) return { kind: 'refused', failure: failure(envelope.code, envelope.error) };
  if (saysMissing(endpoint, body)) {
    return { kind: 'missing', failure: failure('NOT_FOUND', 'The server has nothing published there.') };
  }
  return inconclusive('SERVER_RESPONSE_INVALID', `The answer with status ${http.status} has not the expected shape.`);
}

/** A verdict (`valid: false`) counts with an error status as well: the interface does not say which it has. */
function answerIn(endpoint: Endpoint, status: number, body: unknown): z.ZodSafeParseResult<unknown> | null {
  return status < 300 || endpoint.invalidCodes ? endpoint.response.safeParse(body) : null;
}

function lacksExtension(endpoint: Endpoint, status: number, envelope: ErrorEnvelope | undefined): boolean {
  if (!endpoint.extension || (status !== 404 && status !== 405 && status !== 501)) return false;
  return !endpoint.errors.some((code) => code === envelope?.code);
}

function saysMissing(endpoint: Endpoint, body: unknown): boolean {
  return Object.values(endpoint.otherResponses ?? {}).some((schema) => schema.safeParse(body).success);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requestIdOf(http: HttpResponse): { requestId?: string } {
  const id = http.headers['x-request-id'];
  return id !== undefined && /^[\x21-\x7e]{1,100}$/.test(id) ? { requestId: id } : {};
}

function serverTimeOf(http: HttpResponse): number | null {
  const timeMs = Date.parse(http.headers.date ?? '');
  return Number.isFinite(timeMs) ? timeMs : null;
}
