/**
 * The page that a one-time link opens: the first administrator chooses an email and a password, others only a password.
 */
import { type FormEvent, useEffect, useState } from 'react';
import type { AdminResponseOf } from '../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { useCredentialRefusal } from '../../components/credential-refusal.ts';
import { type CredentialError, findEmailError, findPasswordError } from '../../components/credentials.ts';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { Field } from '../../components/Field.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { Skeleton } from '../../components/Placeholders.tsx';
import { useAction } from '../../use-action.ts';
import { sendCall } from '../api/admin-calls.ts';
import { useMessages } from '../i18n/messages.ts';
import { SessionCard } from './SessionCard.tsx';
import { setSignedIn, setSignedOut } from './session-store.ts';
import { useMinPasswordLength } from './sign-in-options.ts';

type Link = AdminResponseOf<'welcome'>;

export function Welcome({ token }: { readonly token: string }) {
  const { t } = useMessages();
  const { link, failure, check } = useLink(token);
  useEffect(() => {
    document.title = `${t('welcome.title')} · ${t('name')}`;
  }, [t]);
  if (failure?.code === 'INVALID_TOKEN') return <UsedLink />;
  return (
    <SessionCard
      title={t('welcome.title')}
      intro={link === null ? undefined : t(`welcome.${link.kind}`, { email: link.email ?? '' })}
    >
      {failure !== null && (
        <FailureAlert failure={failure} actions={<ActionButton onPress={check}>{t('common.retry')}</ActionButton>} />
      )}
      {link === null && failure === null && <Skeleton lines={4} />}
      {link !== null && <WelcomeForm token={token} link={link} />}
    </SessionCard>
  );
}

/** Asks the server for the purpose of the link. */
function useLink(token: string) {
  const action = useAction();
  const [link, setLink] = useState<Link | null>(null);
  const check = async () => {
    const result = await action.run(() => sendCall('welcome', { body: { token } }));
    if (result !== null) setLink(result.value);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each link
  useEffect(() => void check(), [token]);
  return { link, failure: action.failure, check: () => void check() };
}

function WelcomeForm({ token, link }: { readonly token: string; readonly link: Link }) {
  const { t } = useMessages();
  const action = useAction();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<readonly (CredentialError | null)[]>([]);
  const asksEmail = link.email === null;
  const least = useMinPasswordLength();
  const refused = useCredentialRefusal(action.failure, {
    ...(asksEmail && { email }),
    password,
    accountEmail: link.email ?? email,
    minLength: least,
  });
  const change = (set: (text: string) => void) => (text: string) => {
    set(text);
    setErrors([]);
    action.clear();
  };
  const redeem = async (event: FormEvent) => {
    event.preventDefault();
    const found = [asksEmail ? findEmailError(email.trim()) : null, findPasswordError(password, { least })];
    setErrors(found);
    if (found.some((error) => error !== null)) return;
    const body = { token, password, ...(asksEmail && { email: email.trim() }) };
    const result = await action.run(() => sendCall('redeemWelcome', { body }));
    if (result !== null) setSignedIn(result.value, true);
  };
  const [emailError, passwordError] = errors.map((error) =>
    error === null ? null : t(`credentials.${error}`, { least }),
  );
  return (
    <form className="sign-in-form" onSubmit={(event) => void redeem(event)} noValidate>
      {action.failure !== null && !refused.isOfField && <FailureAlert failure={action.failure} />}
      {asksEmail ? (
        <Field
          label={t('credentials.email')}
          name="email"
          type="email"
          autoComplete="username"
          autoFocus
          value={email}
          onChange={change(setEmail)}
          error={emailError}
          refusal={refused.email}
        />
      ) : (
        // For the browser's password manager.
        <input
          className="visually-hidden"
          type="email"
          autoComplete="username"
          value={link.email ?? ''}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
      )}
      <PasswordField
        value={password}
        onChange={change(setPassword)}
        isNew
        minLength={least}
        autoFocus={!asksEmail}
        error={passwordError}
        refusal={refused.password}
      />
      <ActionButton variant="primary" type="submit" pending={action.pending} className="button-wide">
        {t('welcome.continue')}
      </ActionButton>
    </form>
  );
}

/** Shown if the link was used, is older than a day, or was replaced by a newer one. */
function UsedLink() {
  const { t } = useMessages();
  return (
    <SessionCard title={t('welcome.usedTitle')} intro={t('welcome.usedText')}>
      <ActionButton variant="primary" className="button-wide" onPress={setSignedOut}>
        {t('credentials.signIn')}
      </ActionButton>
    </SessionCard>
  );
}
