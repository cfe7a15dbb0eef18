/** Reads the `Idempotency-Key` header of the endpoints that can repeat a response. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import type { IdempotentRequest } from '../idempotency/idempotent-response.service.ts';

const maxIdempotencyKeyLength = 255;

/** Returns the key; an empty header counts as none. Throws `ApiError` VALIDATION_ERROR if it is too long. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header === '') return undefined;
  if (header.length <= maxIdempotencyKeyLength) return header;
  throw new ApiError(
    'VALIDATION_ERROR',
    `The Idempotency-Key header must have at most ${maxIdempotencyKeyLength} characters.`,
  );
}

/**
 * Returns the request by which its response is saved and found; `undefined` without the header. `body` is what must be
 * the same when it is repeated, as the endpoint is. Throws `ApiError` VALIDATION_ERROR for a key that is too long.
 */
export function readIdempotentRequest(
  { headers, routeOptions }: Pick<FastifyRequest, 'headers' | 'routeOptions'>,
  { userId, body }: { readonly userId: string; readonly body: unknown },
): IdempotentRequest | undefined {
  const idempotencyKey = readIdempotencyKey(headers['idempotency-key']);
  if (idempotencyKey === undefined) return undefined;
  return { userId, content: JSON.stringify([routeOptions.config.endpoint, body]), idempotencyKey };
}
