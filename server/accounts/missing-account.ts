/** An account may be deleted while a request of its is on the way: then the token is no longer good, and nothing failed. */

import { isConstraintViolation } from '../database/database-errors.ts';
import { ApiError } from '../errors.ts';

/** For a write whose one constraint that can fail is that its account exists: throws `ApiError` INVALID_TOKEN for that. */
export function refuseMissingAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('INVALID_TOKEN') : error;
}
