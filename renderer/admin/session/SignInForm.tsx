/** Signs in with email and password, with a passkey, or through the identity provider. */
import { Fingerprint } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import type { SingleSignOnProblem } from '../../../shared/api/admin/single-sign-on-outcome.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { type CredentialError, findEmailError, findPasswordError } from '../../components/credentials.ts';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { Field } from '../../components/Field.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { useSecondsUntil } from '../../components/Times.tsx';
import { retryAtMs } from '../../i18n/failure-message.ts';
import { useAction } from '../../use-action.ts';
import { sendCall } from '../api/admin-calls.ts';
import { useMessages } from '../i18n/messages.ts';
import { ForgotPassword } from './ForgotPassword.tsx';
import { PasskeyUnavailable } from './PasskeyUnavailable.tsx';
import { canUsePasskeys, signInWithPasskey } from './passkeys.ts';
import { SingleSignOnButton, SingleSignOnWindowButton } from './SingleSignOnButton.tsx';
import { newFailure } from './single-sign-on.ts';

export type SignInMethod = 'password' | 'passkey' | 'single-sign-on';

type SignInFormProps = {
  /** Email of the member who was signed in, if known. */
  readonly email?: string;
  /** Why signing in through the identity provider, from which the browser returns, failed. */
  readonly problem?: SingleSignOnProblem | undefined;
  /** Whether the form is in a dialog, so that everything open on the page must stay. */
  readonly isInDialog?: boolean;
  readonly onSignedIn: (session: StaffSession, by: SignInMethod) => void;
};

type FieldErrors = { readonly email: CredentialError | null; readonly password: CredentialError | null };

const noErrors: FieldErrors = { email: null, password: null };

export function SignInForm({ email: knownEmail = '', problem, isInDialog = false, onSignedIn }: SignInFormProps) {
  const { t } = useMessages();
  const withPassword = useAction();
  const withPasskey = useAction();
  const withProvider = useAction();
  const [returned, setReturned] = useState(() => (problem === undefined ? null : newFailure(problem)));
  const [email, setEmail] = useState(knownEmail);
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState(noErrors);
  const failure = withPassword.failure ?? withPasskey.failure ?? withProvider.failure ?? returned;
  const retryAt = failure === null ? null : retryAtMs(failure);
  const waiting = useSecondsUntil(retryAt ?? 0) > 0;

  const clearFailures = () => {
    for (const action of [withPassword, withPasskey, withProvider]) action.clear();
    setReturned(null);
  };
  const signIn = async (event: FormEvent) => {
    event.preventDefault();
    clearFailures();
    const found = { email: findEmailError(email.trim()), password: findPasswordError(password) };
    setErrors(found);
    if (found.email !== null || found.password !== null || waiting) return focusFirst(event, found);
    const body = { email: email.trim(), password };
    const result = await withPassword.run(() => sendCall('staffSignIn', { body }));
    if (result !== null) onSignedIn(result.value, 'password');
  };
  const signInByPasskey = async () => {
    clearFailures();
    const result = await withPasskey.run(signInWithPasskey);
    if (result !== null) onSignedIn(result.value, 'passkey');
  };
  const describe = (error: CredentialError | null) => (error === null ? null : t(`credentials.${error}`));
  return (
    <form className="sign-in-form" onSubmit={(event) => void signIn(event)} noValidate>
      {failure !== null && <FailureAlert failure={failure} />}
      <Field
        label={t('credentials.email')}
        name="email"
        type="email"
        autoComplete="username webauthn"
        autoFocus={knownEmail === ''}
        value={email}
        onChange={(next) => {
          setEmail(next);
          setErrors(noErrors);
        }}
        error={describe(errors.email)}
      />
      <PasswordField
        value={password}
        autoFocus={knownEmail !== ''}
        onChange={(next) => {
          setPassword(next);
          setErrors(noErrors);
        }}
        error={describe(errors.password)}
      />
      <ForgotPassword email={email} />
      <ActionButton
        variant="primary"
        type="submit"
        pending={withPassword.pending}
        disabled={waiting}
        className="button-wide"
      >
        {t('credentials.signIn')}
      </ActionButton>
      {canUsePasskeys() ? (
        <ActionButton
          icon={Fingerprint}
          pending={withPasskey.pending}
          disabled={waiting}
          className="button-wide"
          onPress={() => void signInByPasskey()}
        >
          {t('session.withPasskey')}
        </ActionButton>
      ) : (
        <PasskeyUnavailable />
      )}
      {isInDialog ? (
        <SingleSignOnWindowButton
          action={withProvider}
          purpose="sign-in"
          isWide
          onPress={clearFailures}
          onSession={(session) => onSignedIn(session, 'single-sign-on')}
        />
      ) : (
        <SingleSignOnButton action={withProvider} onPress={clearFailures} />
      )}
    </form>
  );
}

function focusFirst(event: FormEvent, errors: FieldErrors): void {
  const name = errors.email !== null ? 'email' : 'password';
  const field = (event.currentTarget as HTMLFormElement).elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}
