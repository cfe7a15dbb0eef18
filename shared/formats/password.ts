/** Which passwords an account may have (NIST SP 800-63B-4 §3.1.1). The server decides; a page says which rule it was. */
import { isCommonPassword } from './common-passwords.ts';
import { toEmailKey } from './email.ts';

export const maxPasswordLength = 128;
/** In code units. What is longer is longer than `maxPasswordLength` in any form, and to normalize it would take quadratic time. */
export const maxGivenPasswordLength = 8 * maxPasswordLength;
/** Unless the server's setting says otherwise. */
export const defaultMinPasswordLength = 8;

/** The server's message about a common password. A page compares it, since the server knows more of them than a page. */
export const commonPasswordMessage = 'password is one of the most common ones. Choose another one.';

/** What is wrong with a password. */
export type PasswordProblem = 'short' | 'long' | 'malformed' | 'is-email' | 'common';

type PasswordRules = {
  /** Of the account. */
  readonly email: string;
  readonly minLength: number;
  /** In lower case: those that are refused beside the ones that pages know too. */
  readonly commonPasswords?: ReadonlySet<string>;
};

/** The text to hash, which is the same however a keyboard composes the characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** The first rule that the password breaks. Lengths count code points. */
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
