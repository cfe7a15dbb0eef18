/** What staff can do with an account: issue a license for it, end its sessions, set its password, delete it. */
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { findPasswordError } from '../../../components/credentials.ts';
import { ConfirmDialog } from '../../../components/Dialogs.tsx';
import { PasswordField } from '../../../components/PasswordField.tsx';
import { useChange } from '../../api/use-change.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { RecordActions } from '../../records/RecordSection.tsx';
import { changeParams } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { IssueLicenseDialog } from '../licenses/IssueLicenseDialog.tsx';

type AccountProps = { readonly account: AccountRecordForStaff };
type DialogProps = AccountProps & { readonly onClose: () => void };

export function IssueForAccountButton({ account }: AccountProps) {
  const { t } = useMessages();
  const [issuing, setIssuing] = useState(false);
  if (!useMay('issueLicense')) return null;
  return (
    <>
      <ActionButton onPress={() => setIssuing(true)}>{t('licenses.issue')}</ActionButton>
      {issuing && <IssueLicenseDialog email={account.email} onClose={() => setIssuing(false)} />}
    </>
  );
}

export function EndSessionsButton({ account }: AccountProps) {
  const { t } = useMessages();
  const change = useChange();
  const [asking, setAsking] = useState(false);
  if (!useMay('endAccountSessions')) return null;
  const end = async () => {
    const options = { params: { id: account.id } };
    if (
      (await change.run('endAccountSessions', options, t('accounts.sessionsEnded', { email: account.email }))) !== null
    )
      setAsking(false);
  };
  return (
    <>
      <ActionButton onPress={() => setAsking(true)}>{t('accounts.endSessions')}</ActionButton>
      {asking && (
        <ConfirmDialog
          title={t('accounts.endSessionsTitle', { email: account.email })}
          text={t('accounts.endSessionsText', { count: account.sessions.length })}
          confirmLabel={t('accounts.endSessions')}
          danger
          pending={change.pending}
          failure={change.failure}
          onConfirm={() => void end()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

export function AccountActions({ account }: AccountProps) {
  const { t } = useMessages();
  const maySetPassword = useMay('setAccountPassword');
  const mayDelete = useMay('deleteAccount');
  const [dialog, setDialog] = useState<'password' | 'delete' | null>(null);
  const close = () => setDialog(null);
  return (
    <RecordActions>
      {maySetPassword && (
        <ActionButton icon={KeyRound} onPress={() => setDialog('password')}>
          {t('accounts.setPassword')}
        </ActionButton>
      )}
      {mayDelete && (
        <ActionButton icon={Trash2} onPress={() => setDialog('delete')}>
          {t('accounts.delete')}
        </ActionButton>
      )}
      {dialog === 'password' && <PasswordDialog account={account} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog account={account} onClose={close} />}
    </RecordActions>
  );
}

function PasswordDialog({ account, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    const found = findPasswordError(password, { isNew: true });
    setError(found === null ? null : t(`credentials.${found}`));
    if (found !== null) return;
    const options = { params: { id: account.id }, body: { password } };
    if ((await change.run('setAccountPassword', options, t('accounts.passwordSet', { email: account.email }))) !== null)
      onClose();
  };
  return (
    <FormDialog
      title={t('accounts.passwordTitle', { email: account.email })}
      text={t('accounts.passwordText', { count: account.sessions.length })}
      submitLabel={t('accounts.setPassword')}
      pending={change.pending}
      failure={change.failure}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <PasswordField label={t('accounts.newPassword')} value={password} onChange={setPassword} isNew error={error} />
    </FormDialog>
  );
}

function DeleteDialog({ account, onClose }: DialogProps) {
  const { t } = useMessages();
  const change = useChange();
  const { licenses, devices } = account.license_totals;
  const remove = async () => {
    const options = { params: { id: account.id } };
    if ((await change.run('deleteAccount', options, t('accounts.deleted', { email: account.email }))) === null) return;
    onClose();
    changeParams({ open: '' }, { replace: true });
  };
  return (
    <TypedConfirmDialog
      title={t('accounts.deleteTitle', { email: account.email })}
      text={
        <>
          <p>{t('accounts.deleteText', { licenses })}</p>
          <p>{t('form.devicesLose', { count: devices })}</p>
        </>
      }
      name={account.email}
      confirmLabel={t('accounts.delete')}
      pending={change.pending}
      failure={change.failure}
      onConfirm={() => void remove()}
      onClose={onClose}
    />
  );
}
