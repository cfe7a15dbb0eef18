/** Which passwords an account may have (NIST SP 800-63B-4 §3.1.1). */
import { ApiError } from '../errors.ts';
import { isCommonPassword } from './common-passwords.ts';
import type { Email } from './email.ts';

const maxLength = 128;

/** The text to hash, which is the same however a keyboard composes the characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** Throws `ApiError` VALIDATION_ERROR that says what to change. Lengths count code points. */
export function requireGoodPassword(password: string, email: Email, minLength: number): void {
  const problem = findProblem(normalizePassword(password), email, minLength);
  if (problem) throw new ApiError('VALIDATION_ERROR', problem);
}

function findProblem(password: string, email: Email, minLength: number): string | undefined {
  const length = [...password].length;
  if (length < minLength) return `password must have at least ${minLength} characters.`;
  if (length > maxLength) return `password must have at most ${maxLength} characters.`;
  if (!password.isWellFormed() || password.includes('\0')) return 'password must be valid Unicode text.';
  const lowerCase = password.toLowerCase();
  if (lowerCase === email.key) return 'password must not be the email address. Choose another one.';
  if (isCommonPassword(lowerCase)) return 'password is one of the most common ones. Choose another one.';
  return undefined;
}
