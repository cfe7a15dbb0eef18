/** Checks an email and a password before they are sent. The server validates the rest, see `credential-refusal.ts`. */
import type { SharedMessages } from '../i18n/locales/shared-en.ts';

/** Name of a message below `credentials`. */
export type CredentialError = Extract<
  keyof SharedMessages['credentials'],
  'emailMissing' | 'emailShape' | 'passwordMissing' | 'passwordShort'
>;

export function findEmailError(email: string): CredentialError | null {
  if (email === '') return 'emailMissing';
  return /^\S+@\S+$/.test(email) ? null : 'emailShape';
}

/**
 * Checks a password; `least` is the minimum length of a new one. An existing password may have any length, because it
 * may follow other rules.
 */
export function findPasswordError(
  password: string,
  { least = 0 }: { readonly least?: number } = {},
): CredentialError | null {
  if (password === '') return 'passwordMissing';
  return [...password].length < least ? 'passwordShort' : null;
}
