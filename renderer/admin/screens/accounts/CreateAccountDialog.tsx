/** A dialog that creates an account; if the password is left empty, the account has none until one is set. */
import { useState } from 'react';
import { useCredentialRefusal } from '../../../components/credential-refusal.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { Field } from '../../../components/Field.tsx';
import { PasswordField } from '../../../components/PasswordField.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { goTo } from '../../routing.ts';
import { useMinPasswordLength } from '../../session/sign-in-options.ts';

export function CreateAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const [email, setEmail] = useState('');
  const [fullName, setFullName] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const { dialog, clear } = useDialogChange('createAccount', {
    request: () => {
      const found = findEmailError(email.trim());
      setError(found === null ? null : t(`credentials.${found}`));
      if (found !== null) return null;
      return { body: { email: email.trim(), full_name: fullName.trim(), ...(password !== '' && { password }) } };
    },
    success: t('accounts.created', { email: email.trim() }),
    onSuccess: ({ id }) => goTo('accounts', { open: id }),
    onClose,
  });
  const refused = useCredentialRefusal(dialog.failure, {
    email,
    ...(password !== '' && { password }),
    minLength: useMinPasswordLength(),
  });
  const edit = (set: (text: string) => void) => (text: string) => {
    set(text);
    setError(null);
    clear();
  };
  return (
    <FormDialog
      {...dialog}
      title={t('accounts.create')}
      submitLabel={t('accounts.create')}
      failure={refused.isOfField ? null : dialog.failure}
    >
      <Field
        label={t('credentials.email')}
        type="email"
        value={email}
        onChange={edit(setEmail)}
        error={error}
        refusal={refused.email}
        autoComplete="off"
        autoFocus
      />
      <Field
        label={t('credentials.fullName')}
        value={fullName}
        onChange={setFullName}
        autoComplete="off"
        hint={t('form.optional')}
      />
      <PasswordField
        value={password}
        onChange={edit(setPassword)}
        isNew
        hint={t('accounts.passwordHint')}
        refusal={refused.password}
      />
    </FormDialog>
  );
}
