/** What becomes of a write about an account that was deleted between the moment it was looked up and the write. */
import { isConstraintViolation } from './database/database-errors.ts';
import { ApiError } from './errors.ts';

/**
 * For the `catch` of a write by an admin in which only the foreign key to the account can fail. Throws `ApiError` NOT_FOUND
 * for that, anything else as it is.
 */
export function rejectMissingAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('NOT_FOUND', 'The account has been deleted.') : error;
}

/**
 * For the `catch` of a write by the user of the account: the token is no longer good. Throws `ApiError` INVALID_TOKEN for
 * that, anything else as it is.
 */
export function rejectDeletedAccount(error: unknown): never {
  throw isConstraintViolation(error) ? new ApiError('INVALID_TOKEN') : error;
}
