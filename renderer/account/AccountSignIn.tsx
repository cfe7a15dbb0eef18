/** The sign-in card of the account page. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { BrandMark } from '../components/Brand.tsx';
import { type CredentialError, findEmailError } from '../components/credentials.ts';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { useSecondsUntil } from '../components/Times.tsx';
import { retryAtMs } from '../i18n/failure-message.ts';
import { useMessages } from '../i18n/messages.ts';
import { ForgotPassword } from '../routes/ForgotPassword.tsx';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

type Errors = { readonly email?: CredentialError | null; readonly password?: boolean };

export function AccountSignIn() {
  const { t } = useMessages();
  const action = useAction();
  const reason = useApp((app) => (app.session.kind === 'signed-out' ? app.session.reason : null));
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<Errors>({});
  const retryAt = action.failure === null ? null : retryAtMs(action.failure);
  const waiting = useSecondsUntil(retryAt ?? 0) > 0;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const emailError = findEmailError(email.trim());
    setErrors({ email: emailError, password: password === '' });
    const invalid = emailError !== null ? 'email' : password === '' ? 'password' : null;
    if (invalid !== null) {
      const field = event.currentTarget.elements.namedItem(invalid);
      if (field instanceof HTMLElement) field.focus();
    } else if (!waiting) await action.run(() => bridge.signIn({ email, password }));
  };
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <header className="sign-in-header">
          <BrandMark />
          <h1>{t('accountPage.signInTitle')}</h1>
        </header>
        {reason !== null && <Banner tone="attention" role="status" title={t(`signIn.signedOut.${reason}`)} />}
        <form className="sign-in-form" onSubmit={(event) => void submit(event)} noValidate>
          {action.failure !== null && <FailureAlert failure={action.failure} />}
          <Field
            label={t('credentials.email')}
            name="email"
            type="email"
            autoComplete="username"
            autoFocus
            value={email}
            onChange={(text) => {
              setEmail(text);
              setErrors({});
            }}
            error={errors.email ? t(`credentials.${errors.email}`) : null}
          />
          <PasswordField
            value={password}
            onChange={(text) => {
              setPassword(text);
              setErrors({});
            }}
            error={errors.password ? t('credentials.passwordMissing') : null}
          />
          <ForgotPassword email={email.trim()} saveAddress={async () => true} />
          <ActionButton
            variant="primary"
            type="submit"
            pending={action.pending}
            disabled={waiting}
            className="button-wide"
          >
            {t('credentials.signIn')}
          </ActionButton>
        </form>
      </div>
    </main>
  );
}
