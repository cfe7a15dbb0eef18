/** The form that signs in or creates an account: its fields, their validation, and the commands. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { type CredentialRefusal, useCredentialRefusal } from '../components/credential-refusal.ts';
import { type CredentialError, findEmailError, findPasswordError } from '../components/credentials.ts';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { focusField } from '../components/focus-field.ts';
import { PasswordField } from '../components/PasswordField.tsx';
import { SlowServer } from '../components/SlowServer.tsx';
import { useSecondsUntil } from '../components/Times.tsx';
import { retryAtMs } from '../i18n/failure-message.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { type Action, useAction } from '../use-action.ts';
import { useMinPasswordLength } from '../use-min-password-length.ts';
import { ForgotPassword } from './ForgotPassword.tsx';

export type SignInMode = 'sign-in' | 'sign-up';

type SignInFields = { readonly email: string; readonly password: string; readonly fullName: string };
type FieldErrors = Readonly<Partial<Record<keyof SignInFields, CredentialError>>>;

type SignInFormProps = {
  readonly mode: SignInMode;
  readonly onMode: (mode: SignInMode) => void;
  /** Whether the server, as far as known, lets anyone create an account. */
  readonly canSignUp: boolean;
  /** A typed address that is not saved yet; it is saved before signing in. */
  readonly newAddress: string | null;
  /** Saves the address and shows its failure. */
  readonly server: Action;
  readonly onAddressSaved: () => void;
};

export function SignInForm(props: SignInFormProps) {
  const { t } = useMessages();
  const { fields, fieldErrors, refused, action, waiting, change, saveAddress, submit, switchMode } = useSignIn(props);
  const isNew = props.mode === 'sign-up';
  return (
    <form className="sign-in-form" onSubmit={submit} noValidate>
      {action.failure !== null && !refused.isOfField && <FailureAlert failure={action.failure} />}
      <SignInFieldset isNew={isNew} fields={fields} errors={fieldErrors} refused={refused} change={change} />
      {!isNew && <ForgotPassword email={fields.email.trim()} saveAddress={saveAddress} />}
      <ActionButton
        variant="primary"
        type="submit"
        pending={action.pending || props.server.pending}
        disabled={waiting}
        className="button-wide"
      >
        {isNew ? t('signIn.createAccount') : t('credentials.signIn')}
      </ActionButton>
      <SlowServer
        pending={action.pending}
        text={t('slowServer.waiting')}
        cancelLabel={t('common.cancel')}
        onCancel={() => void runCommand(() => bridge.cancelSignIn())}
      />
      {props.canSignUp ? (
        <div className="sign-in-switch">
          <span>{isNew ? t('signIn.haveAccount') : t('signIn.newHere')}</span>
          <ActionButton variant="quiet" onPress={switchMode}>
            {isNew ? t('credentials.signIn') : t('signIn.createAccount')}
          </ActionButton>
        </div>
      ) : (
        <p className="hint">{t('signIn.byInvitation')}</p>
      )}
    </form>
  );
}

/** Returns the form's fields and their errors; `waiting` while the server allows no further attempt. */
function useSignIn({ mode, onMode, newAddress, server, onAddressSaved }: SignInFormProps) {
  // A failure of the previous server says nothing about this one.
  const action = useAction(useApp((app) => app.server.address));
  const endedEmail = useEndedEmail();
  const [fields, setFields] = useState<SignInFields>({ email: endedEmail, password: '', fullName: '' });
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  const isSignUp = mode === 'sign-up';
  const least = useMinPasswordLength();
  const refused = useCredentialRefusal(isSignUp ? action.failure : null, { ...fields, minLength: least });
  const retryAt = action.failure === null ? null : retryAtMs(action.failure);
  const waiting = useSecondsUntil(retryAt ?? 0) > 0;

  const change = (changed: Partial<SignInFields>) => {
    setFields({ ...fields, ...changed });
    setFieldErrors({});
    if (refused.isOfField) action.clear();
  };
  const switchMode = () => {
    action.clear();
    setFieldErrors({});
    onMode(mode === 'sign-in' ? 'sign-up' : 'sign-in');
  };
  /** Called before anything is sent; resolves to false if the typed address cannot be used. */
  const saveAddress = async () => {
    if (newAddress === null) return true;
    if ((await server.run(() => bridge.setServerAddress({ address: newAddress }))) === null) return false;
    onAddressSaved();
    return true;
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const errors = findFieldErrors(fields, isSignUp ? least : 0);
    setFieldErrors(errors);
    const [firstInvalid] = Object.keys(errors);
    if (firstInvalid !== undefined) return focusField(event, firstInvalid);
    if (waiting) return;
    if (!(await saveAddress())) return;
    const { password } = fields;
    const email = fields.email.trim();
    if (mode === 'sign-in') await action.run(() => bridge.signIn({ email, password }));
    else await action.run(() => bridge.signUp({ email, password, fullName: fields.fullName.trim() }));
  };
  return { fields, fieldErrors, refused, action, waiting, change, saveAddress, submit, switchMode };
}

/** Returns the email of the user whose session has ended by itself, who will probably sign in again; otherwise ''. */
function useEndedEmail(): string {
  return useApp(({ session }) => (session.kind === 'signed-out' ? (session.email ?? '') : ''));
}

/**
 * Returns the error of each invalid field, in field order. Sign-in accepts any password, because it may follow other
 * rules.
 */
function findFieldErrors(fields: SignInFields, least: number): FieldErrors {
  const email = findEmailError(fields.email.trim());
  const password = findPasswordError(fields.password, { least });
  return { ...(email && { email }), ...(password && { password }) };
}

type SignInFieldsetProps = {
  readonly isNew: boolean;
  readonly fields: SignInFields;
  readonly errors: FieldErrors;
  readonly refused: CredentialRefusal;
  readonly change: (changed: Partial<SignInFields>) => void;
};

function SignInFieldset({ isNew, fields, errors, refused, change }: SignInFieldsetProps) {
  const { t } = useMessages();
  const least = useMinPasswordLength();
  const isEmailKnown = useEndedEmail() !== '';
  return (
    <>
      {isNew && (
        <Field
          label={t('credentials.fullName')}
          hint={t('signIn.fullNameHint')}
          name="fullName"
          autoComplete="name"
          value={fields.fullName}
          onChange={(fullName) => change({ fullName })}
        />
      )}
      <Field
        label={t('credentials.email')}
        name="email"
        type="email"
        autoComplete="username"
        autoFocus={!isEmailKnown}
        value={fields.email}
        onChange={(email) => change({ email })}
        refusal={refused.email}
        error={errors.email === undefined ? null : t(`credentials.${errors.email}`)}
      />
      <PasswordField
        value={fields.password}
        onChange={(password) => change({ password })}
        isNew={isNew}
        minLength={least}
        autoFocus={isEmailKnown}
        refusal={refused.password}
        error={errors.password === undefined ? null : t(`credentials.${errors.password}`, { least })}
      />
    </>
  );
}
