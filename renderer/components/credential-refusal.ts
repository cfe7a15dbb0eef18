/** What a form says at its fields when the server has refused the email or the password. */
import { parseEmail } from '../../shared/formats/email.ts';
import {
  commonPasswordMessage,
  defaultMinPasswordLength,
  findPasswordProblem,
  maxPasswordLength,
} from '../../shared/formats/password.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { type SharedTranslate, useSharedMessages } from '../i18n/shared-messages.ts';

/** What was sent. */
type Credentials = {
  /** The email that was typed, if the form asks for one. */
  readonly email?: string;
  /** The new password that was typed, if the form asks for one. */
  readonly password?: string;
  /** Of the account whose password it is. Default: `email`. */
  readonly accountEmail?: string;
  /** Of a new password, if the server has said it. */
  readonly minLength?: number;
};

export type CredentialRefusal = {
  readonly email: string | null;
  readonly password: string | null;
  /** Whether one of the fields says all that there is to say. */
  readonly isOfField: boolean;
};

/** `VALIDATION_ERROR` does not say which rule was broken, and in English only; the rules are shared with the server. */
export function useCredentialRefusal(failure: Failure | null, credentials: Credentials): CredentialRefusal {
  const { t } = useSharedMessages();
  if (failure?.code !== 'VALIDATION_ERROR') return { email: null, password: null, isOfField: false };
  const { email } = credentials;
  const refused = {
    email: email === undefined || parseEmail(email) !== undefined ? null : t('credentials.emailShape'),
    password: describePassword(credentials, failure, t),
  };
  return { ...refused, isOfField: refused.email !== null || refused.password !== null };
}

function describePassword(credentials: Credentials, { message }: Failure, t: SharedTranslate): string | null {
  const { password, email = '', accountEmail = email, minLength = defaultMinPasswordLength } = credentials;
  if (password === undefined) return null;
  switch (findPasswordProblem(password, { email: accountEmail, minLength })) {
    case 'short':
      return t('credentials.passwordShort', { least: minLength });
    case 'long':
      return t('credentials.passwordLong', { most: maxPasswordLength });
    case 'malformed':
      return t('credentials.passwordMalformed');
    case 'is-email':
      return t('credentials.passwordIsEmail');
    case 'common':
      return t('credentials.passwordCommon');
    case null:
      return message === commonPasswordMessage ? t('credentials.passwordCommon') : null;
  }
}
