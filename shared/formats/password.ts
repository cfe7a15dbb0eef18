/**
 * Password rules for accounts (NIST SP 800-63B-4 §3.1.1). The server enforces them; pages show which rule was broken.
 */
import { isCommonPassword } from './common-passwords.ts';
import { toEmailKey } from './email.ts';

export const maxPasswordLength = 128;
/**
 * In code units. Longer input exceeds `maxPasswordLength` in any form, and normalizing it would take quadratic time.
 */
export const maxGivenPasswordLength = 8 * maxPasswordLength;
/** Default of the server's setting. */
export const defaultMinPasswordLength = 8;

/** The server's message about a common password. Pages compare it, since the server knows more of them. */
export const commonPasswordMessage = 'password is one of the most common ones. Choose another one.';

/** The rule that a password breaks. */
type PasswordProblem = 'short' | 'long' | 'malformed' | 'is-email' | 'common';

type PasswordRules = {
  /** Email address of the account. */
  readonly email: string;
  readonly minLength: number;
  /** Common passwords in lower case, in addition to those that pages know. */
  readonly commonPasswords?: ReadonlySet<string>;
};

/** Returns the text to hash, which does not depend on how a keyboard composes characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** Returns the first rule that the password breaks. Lengths count code points. */
export function findPasswordProblem(
  password: string,
  { email, minLength, commonPasswords }: PasswordRules,
): PasswordProblem | null {
  if (password.length > maxGivenPasswordLength) return 'long';
  const text = normalizePassword(password);
  const length = [...text].length;
  if (length < minLength) return 'short';
  if (length > maxPasswordLength) return 'long';
  if (!text.isWellFormed() || text.includes('\0')) return 'malformed';
  const lowerCase = text.toLowerCase();
  if (toEmailKey(text) === toEmailKey(email)) return 'is-email';
  return isCommonPassword(lowerCase) || commonPasswords?.has(lowerCase) ? 'common' : null;
}
