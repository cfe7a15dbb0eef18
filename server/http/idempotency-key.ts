/** Reads the `Idempotency-Key` header of the endpoints that can repeat a response. */
import { ApiError } from '../errors.ts';

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
