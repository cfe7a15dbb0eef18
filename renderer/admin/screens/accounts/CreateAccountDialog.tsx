/** Creates an account; without a password it has none until one is set. */
import { useState } from 'react';
import { findEmailError } from '../../../components/credentials.ts';
import { Field } from '../../../components/Field.tsx';
import { PasswordField } from '../../../components/PasswordField.tsx';
import { useChange } from '../../api/use-change.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { goTo } from '../../routing.ts';

export function CreateAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const change = useChange();
  const [email, setEmail] = useState('');
  const [fullName, setFullName] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const create = async () => {
    const found = findEmailError(email.trim());
    setError(found === null ? null : t(`credentials.${found}`));
    if (found !== null) return;
    const body = { email: email.trim(), full_name: fullName.trim(), ...(password !== '' && { password }) };
    const result = await change.run('createAccount', { body }, t('accounts.created', { email: email.trim() }));
    if (result !== null) goTo('accounts', { open: result.value.id });
  };
  return (
    <FormDialog
      title={t('accounts.create')}
      submitLabel={t('accounts.create')}
      pending={change.pending}
      failure={change.failure}
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <Field
        label={t('credentials.email')}
        type="email"
        value={email}
        onChange={setEmail}
        error={error}
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
      <PasswordField value={password} onChange={setPassword} isNew hint={t('accounts.passwordHint')} />
    </FormDialog>
  );
}
