/** Field messages of a form after the server has refused the email or password. */
import { parseEmail } from '../../shared/formats/email.ts';
import {
  commonPasswordMessage,
  defaultMinPasswordLength,
  findPasswordProblem,
  maxPasswordLength,
} from '../../shared/formats/password.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { type SharedTranslate, useSharedMessages } from '../i18n/shared-messages.ts';

/** The submitted values. */
type Credentials = {
  /** The typed email, if the form asks for one. */
  readonly email?: string;
  /** The typed new password, if the form asks for one. */
  readonly password?: string;
  /** Email of the account to which the password belongs; defaults to `email`. */
  readonly accountEmail?: string;
  /** Minimum length of a new password, if the server has sent it. */
  readonly minLength?: number;
};

export type CredentialRefusal = {
  readonly email: string | null;
  readonly password: string | null;
  /** Whether the field messages explain the whole failure. */
  readonly isOfField: boolean;
};

/**
 * Returns the message for each refused field. `VALIDATION_ERROR` does not name the broken rule and is only in English,
 * so the rules shared with the server are checked again.
 */
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
