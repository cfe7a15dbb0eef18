/** What is wrong with an email or a password before it is sent. The server validates the rest. */
import type { SharedMessages } from '../i18n/locales/shared-en.ts';

/** The name of a message below `credentials`. */
export type CredentialError = Extract<
  keyof SharedMessages['credentials'],
  'emailMissing' | 'emailShape' | 'passwordMissing' | 'passwordShort'
>;

const minPasswordLength = 8;

export function findEmailError(email: string): CredentialError | null {
  if (email === '') return 'emailMissing';
  return /^\S+@\S+$/.test(email) ? null : 'emailShape';
}

/** An existing password may be of any length, because it may follow other rules. */
export function findPasswordError(password: string, { isNew }: { readonly isNew: boolean }): CredentialError | null {
  if (password === '') return 'passwordMissing';
  return isNew && [...password].length < minPasswordLength ? 'passwordShort' : null;
}
