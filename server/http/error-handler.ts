/** The only place that turns an error into an HTTP answer: status, envelope and the headers that go with it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ErrorCode, errorTable } from '../../shared/api/errors.ts';
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { ApiError } from '../errors.ts';
import { describeValidation } from './describe-validation.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** Makes the app answer every error, its framework's own included, with `{error, code}`. */
export function setErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
}

/** For what the framework refuses before there is a route, such as a bad URL. */
export function sendFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setSecurityHeaders(reply);
  sendError(error, request, reply);
}

/** Answers with the envelope; what is nobody's refusal but our own failure is logged, and told as INTERNAL_ERROR. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = asApiError(error, request);
  if (refusal.code === 'INTERNAL_ERROR') request.log.error({ err: error }, 'request failed');
  else if (error instanceof DatabaseUnavailable) request.log.error({ err: error.cause }, 'database unavailable');
  const { status } = errorTable[refusal.code];
  if (status === 401) reply.header('www-authenticate', challenge(request, refusal.code));
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  reply
    .code(status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify({ error: refusal.message, code: refusal.code }));
}

const busyRetrySeconds = 1;

/** Errors of Fastify that a client can cause, by their code. */
const frameworkRefusals: Readonly<Record<string, ConstructorParameters<typeof ApiError>>> = {
  FST_ERR_BAD_URL: ['VALIDATION_ERROR', 'The address is not a valid URL path. Check its percent-encoding.'],
  FST_ERR_MAX_PARAM_LENGTH: ['NOT_FOUND'],
  FST_ERR_CTP_BODY_TOO_LARGE: ['PAYLOAD_TOO_LARGE'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['UNSUPPORTED_MEDIA_TYPE'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'VALIDATION_ERROR',
    'The body is not as long as Content-Length says. Send it whole.',
  ],
};

function asApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseUnavailable) {
    return new ApiError('SERVICE_UNAVAILABLE', errorTable.SERVICE_UNAVAILABLE.message, busyRetrySeconds);
  }
  if (!(error instanceof Error)) return new ApiError('INTERNAL_ERROR');
  const known = 'code' in error && typeof error.code === 'string' ? frameworkRefusals[error.code] : undefined;
  if (known) return new ApiError(...known);
  const invalid = describeValidation(error, request);
  if (invalid) return new ApiError('VALIDATION_ERROR', invalid);
  const status = 'statusCode' in error ? error.statusCode : undefined;
  const isTheirs = typeof status === 'number' && status >= 400 && status < 500;
  return new ApiError(isTheirs ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
}

/** RFC 6750 §3: no error attribute where no token was sent. */
function challenge(request: FastifyRequest, code: ErrorCode): string {
  const tokenRefused = code !== 'INVALID_CREDENTIALS' && request.headers.authorization !== undefined;
  return tokenRefused ? 'Bearer realm="account", error="invalid_token"' : 'Bearer realm="account"';
}
