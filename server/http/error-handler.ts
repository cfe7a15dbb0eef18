/**
 * Turns every error of a request into its response: status, `{error, code}` and headers. Input that is no request, or
 * arrives on a connection too many, is answered in `connections.ts`.
 */
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type ErrorCode, errorTable } from '../../shared/api/errors.ts';
import { DatabaseUnavailable } from '../database/database-errors.ts';
import { DeadlineExceeded } from '../deadline.ts';
import { ApiError, RateLimited } from '../errors.ts';
import { dropRestOfBody } from './connections.ts';
import type { ErrorLog } from './error-log.ts';
import { requestIdHeader } from './request-id.ts';
import { describeRequest } from './request-log.ts';
import { addSecurityHeaders } from './response-headers.ts';

/** Makes the app respond to every error, including Fastify's own, with `{error, code}`. */
export function setErrorHandler(app: FastifyInstance, errorLog: ErrorLog): void {
  app.setErrorHandler((error, request, reply) => {
    const { code } = sendError(error, request, reply);
    const fields = describeRequest(request);
    if (code === 'INTERNAL_ERROR') errorLog.add(error, 'request failed', fields);
    else if (error instanceof DatabaseUnavailable) errorLog.add(error.cause, 'database unavailable', fields);
  });
  app.addHook('onClose', async () => errorLog.flush());
}

/** Handles requests that Fastify rejects before it looks for a route, such as those with an invalid URL. */
export function sendFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  addSecurityHeaders(reply);
  reply.header(requestIdHeader, request.id);
  sendError(error, request, reply);
  // None of this server's hooks run in this case.
  dropRestOfBody(request.raw);
}

/** Sends the error and returns what was sent. An error that no client can cause is sent as INTERNAL_ERROR. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): ApiError {
  const apiError = toApiError(error, request);
  const { status } = errorTable[apiError.code];
  if (status === 401) reply.header('www-authenticate', challenge(request, apiError.code));
  if (apiError instanceof RateLimited) request.limit = apiError.state;
  if (apiError.retryAfterSeconds !== undefined) reply.header('retry-after', String(apiError.retryAfterSeconds));
  // Fastify has set `Connection: close`; the rest of the body is discarded instead.
  if (!request.raw.complete) reply.removeHeader('connection');
  reply
    .code(status)
    .type('application/json; charset=utf-8')
    // As text, because the endpoint may have a schema for another response with this status.
    .send(JSON.stringify({ error: apiError.message, code: apiError.code }));
  return apiError;
}

const busyRetrySeconds = 1;

function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof DatabaseUnavailable || error instanceof DeadlineExceeded) {
    return new ApiError('SERVICE_UNAVAILABLE', errorTable.SERVICE_UNAVAILABLE.message, busyRetrySeconds);
  }
  return error instanceof Error ? fromFramework(error, request) : new ApiError('INTERNAL_ERROR');
}

/** Converts an error of Fastify; any other that is not one of a client is INTERNAL_ERROR. */
function fromFramework(error: Error, request: FastifyRequest): ApiError {
  if (error instanceof errorCodes.FST_ERR_BAD_URL) {
    return new ApiError('VALIDATION_ERROR', 'The URL path is not valid. Check its percent-encoding.');
  }
  if (error instanceof errorCodes.FST_ERR_MAX_PARAM_LENGTH) return new ApiError('NOT_FOUND');
  if (error instanceof errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE) return new ApiError('UNSUPPORTED_MEDIA_TYPE');
  if (error instanceof errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH) {
    const message = 'The body length does not match Content-Length. Send the complete body.';
    return new ApiError('VALIDATION_ERROR', message);
  }
  if (error instanceof errorCodes.FST_ERR_CTP_BODY_TOO_LARGE) {
    const limit = `${request.routeOptions.bodyLimit / 1024} KiB`;
    return new ApiError('PAYLOAD_TOO_LARGE', `The request body is larger than ${limit}.`);
  }
  const status = 'statusCode' in error ? error.statusCode : undefined;
  const isClientError = typeof status === 'number' && status >= 400 && status < 500;
  return new ApiError(isClientError ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR');
}

/** Builds `WWW-Authenticate`; without a token in the request it has no error attribute (RFC 6750, section 3). */
function challenge(request: FastifyRequest, code: ErrorCode): string {
  const isTokenError = code !== 'INVALID_CREDENTIALS' && request.headers.authorization !== undefined;
  return isTokenError ? 'Bearer realm="account", error="invalid_token"' : 'Bearer realm="account"';
}
