/** Rejects unacceptable passwords with the reason. */
import type { Email } from '../../shared/formats/email.ts';
import { commonPasswordMessage, findPasswordProblem, maxPasswordLength } from '../../shared/formats/password.ts';
import { ApiError } from '../errors.ts';

/** Throws `ApiError` VALIDATION_ERROR with what to change. */
export function requireGoodPassword(
  password: string,
  { address }: Pick<Email, 'address'>,
  minLength: number,
  commonPasswords: ReadonlySet<string>,
): void {
  const problem = findPasswordProblem(password, { email: address, minLength, commonPasswords });
  if (problem === null) return;
  const messages = {
    short: `password must have at least ${minLength} characters.`,
    long: `password must have at most ${maxPasswordLength} characters.`,
    malformed: 'password must be valid Unicode text.',
    'is-email': 'password must not be the email address. Choose another one.',
    common: commonPasswordMessage,
  };
  throw new ApiError('VALIDATION_ERROR', messages[problem]);
}
