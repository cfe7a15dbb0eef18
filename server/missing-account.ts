/** Handles writes about an account that was deleted between its look-up and the write. */
import { isConstraintViolation } from './database/database-errors.ts';
import { ApiError } from './errors.ts';

/**
 * For the `catch` of an admin's write in which only the foreign key to the account can fail. Throws `ApiError`
 * NOT_FOUND for that failure, and any other error unchanged.
 */
export function rejectMissingAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('NOT_FOUND', 'The account has been deleted.') : error;
}

/**
 * For the `catch` of a write by the account's user, whose token is no longer valid. Throws `ApiError` INVALID_TOKEN for
 * that failure, and any other error unchanged.
 */
export function rejectDeletedAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('INVALID_TOKEN') : error;
}
