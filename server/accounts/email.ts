/** The email address that a request must have. */
import { type Email, maxEmailLength, parseEmail } from '../../shared/formats/email.ts';
import { ApiError } from '../errors.ts';

/** Like `parseEmail`; throws `ApiError` VALIDATION_ERROR that says what is wrong. */
export function requireEmail(text: string): Email {
  const email = parseEmail(text);
  if (email) return email;
  const message =
    text.trim().length > maxEmailLength
      ? `email must have at most ${maxEmailLength} characters.`
      : 'email must be an address such as name@example.com.';
  throw new ApiError('VALIDATION_ERROR', message);
}
