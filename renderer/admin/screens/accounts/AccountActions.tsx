/** Staff actions for an account: issue a license, end its sessions, set its password, delete it. */
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { useCredentialRefusal } from '../../../components/credential-refusal.ts';
import { findPasswordError } from '../../../components/credentials.ts';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { PasswordField } from '../../../components/PasswordField.tsx';
import { DialogButton } from '../../forms/DialogButton.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { RecordActions } from '../../records/RecordSection.tsx';
import { changeParams } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { useMinPasswordLength } from '../../session/sign-in-options.ts';
import { IssueLicenseDialog } from '../licenses/IssueLicenseDialog.tsx';

type AccountProps = { readonly account: AccountRecordForStaff };
type DialogProps = AccountProps & { readonly onClose: () => void };

export function IssueForAccountButton({ account }: AccountProps) {
  const { t } = useMessages();
  if (!useMay('issueLicense')) return null;
  return (
    <DialogButton
      label={t('licenses.issue')}
      dialog={(close) => <IssueLicenseDialog email={account.email} onClose={close} />}
    />
  );
}

export function EndSessionsButton({ account }: AccountProps) {
  const { t } = useMessages();
  if (!useMay('endAccountSessions')) return null;
  return (
    <DialogButton
      label={t('accounts.endSessions')}
      dialog={(close) => <EndSessionsDialog account={account} onClose={close} />}
    />
  );
}

function EndSessionsDialog({ account, onClose }: DialogProps) {
  const { t } = useMessages();
  const { dialog } = useDialogChange('endAccountSessions', {
    request: () => ({ params: { id: account.id } }),
    success: t('accounts.sessionsEnded', { email: account.email }),
    onClose,
  });
  return (
    <ConfirmDialog
      {...dialog}
      title={t('accounts.endSessionsTitle', { email: account.email })}
      text={t('accounts.endSessionsText', { count: account.sessions.length })}
      confirmLabel={t('accounts.endSessions')}
      danger
    />
  );
}

export function AccountActions({ account }: AccountProps) {
  const { t } = useMessages();
  const maySetPassword = useMay('setAccountPassword');
  const mayDelete = useMay('deleteAccount');
  return (
    <RecordActions>
      {maySetPassword && (
        <DialogButton
          icon={KeyRound}
          label={t('accounts.setPassword')}
          dialog={(close) => <PasswordDialog account={account} onClose={close} />}
        />
      )}
      {mayDelete && (
        <DialogButton
          icon={Trash2}
          label={t('accounts.delete')}
          dialog={(close) => <DeleteDialog account={account} onClose={close} />}
        />
      )}
    </RecordActions>
  );
}

function PasswordDialog({ account, onClose }: DialogProps) {
  const { t } = useMessages();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const least = useMinPasswordLength();
  const { dialog, clear } = useDialogChange('setAccountPassword', {
    request: () => {
      const found = findPasswordError(password, { least });
      setError(found === null ? null : t(`credentials.${found}`, { least }));
      return found === null ? { params: { id: account.id }, body: { password } } : null;
    },
    success: t('accounts.passwordSet', { email: account.email }),
    onClose,
  });
  const sent = { password, accountEmail: account.email, minLength: least };
  const refused = useCredentialRefusal(dialog.failure, sent);
  const edit = (text: string) => {
    setPassword(text);
    setError(null);
    clear();
  };
  return (
    <FormDialog
      {...dialog}
      title={t('accounts.passwordTitle', { email: account.email })}
      text={t('accounts.passwordText', { count: account.sessions.length })}
      submitLabel={t('accounts.setPassword')}
      failure={refused.isOfField ? null : dialog.failure}
    >
      <PasswordField
        label={t('accounts.newPassword')}
        value={password}
        onChange={edit}
        isNew
        minLength={least}
        error={error}
        refusal={refused.password}
      />
    </FormDialog>
  );
}

function DeleteDialog({ account, onClose }: DialogProps) {
  const { t } = useMessages();
  const { licenses, devices } = account.license_totals;
  const { dialog } = useDialogChange('deleteAccount', {
    request: () => ({ params: { id: account.id } }),
    success: t('accounts.deleted', { email: account.email }),
    onSuccess: () => {
      onClose();
      changeParams({ open: '' }, { replace: true });
    },
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('accounts.deleteTitle', { email: account.email })}
      text={
        <>
          <p>{t('accounts.deleteText', { licenses })}</p>
          <p>{t('form.devicesLose', { count: devices })}</p>
        </>
      }
      name={account.email}
      confirmLabel={t('accounts.delete')}
    />
  );
}
