/** Validates the email address of a request. */
import { type Email, maxEmailLength, parseEmail } from '../../shared/formats/email.ts';
import { ApiError } from '../errors.ts';

/** Like `parseEmail`, but throws `ApiError` VALIDATION_ERROR with the reason. */
export function requireEmail(text: string): Email {
  const email = parseEmail(text);
  if (email) return email;
  const message =
    text.trim().length > maxEmailLength
      ? `email must have at most ${maxEmailLength} characters.`
      : 'email must be an address such as name@example.com.';
  throw new ApiError('VALIDATION_ERROR', message);
}
