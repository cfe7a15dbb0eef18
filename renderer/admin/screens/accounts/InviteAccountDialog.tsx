/** Invites a user: creates an account without a password and a link to choose one, which is shown once. */
import { useState } from 'react';
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { useCredentialRefusal } from '../../../components/credential-refusal.ts';
import { findEmailError } from '../../../components/credentials.ts';
import { Field } from '../../../components/Field.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { SelectField } from '../../forms/SelectField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { usePlanOptions } from '../../records/use-plans.ts';
import { goTo } from '../../routing.ts';
import { InvitationDialog } from './InvitationDialog.tsx';

export function InviteAccountDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useMessages();
  const plans = usePlanOptions();
  const [email, setEmail] = useState('');
  const [fullName, setFullName] = useState('');
  const [plan, setPlan] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [invited, setInvited] = useState<AdminResponseOf<'inviteAccount'> | null>(null);
  const { dialog, clear } = useDialogChange('inviteAccount', {
    request: () => {
      const found = findEmailError(email.trim());
      setError(found === null ? null : t(`credentials.${found}`));
      if (found !== null) return null;
      const name = fullName.trim();
      return { body: { email: email.trim(), ...(name !== '' && { full_name: name }), ...(plan !== '' && { plan }) } };
    },
    onSuccess: setInvited,
    onClose,
  });
  const refused = useCredentialRefusal(dialog.failure, { email });
  if (invited !== null) {
    return <InvitationDialog invited={invited} onSaved={() => goTo('accounts', { open: invited.user.id })} />;
  }
  return (
    <FormDialog
      {...dialog}
      title={t('accounts.invite')}
      text={t('accounts.inviteText')}
      submitLabel={t('accounts.invite')}
      failure={refused.isOfField ? null : dialog.failure}
    >
      <Field
        label={t('credentials.email')}
        type="email"
        value={email}
        onChange={(text) => {
          setEmail(text);
          setError(null);
          clear();
        }}
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
      <SelectField
        label={t('field.plan')}
        value={plan}
        options={[{ id: '', name: t('accounts.noSubscription') }, ...plans]}
        onChange={setPlan}
        hint={t('accounts.invitePlanHint')}
      />
    </FormDialog>
  );
}
