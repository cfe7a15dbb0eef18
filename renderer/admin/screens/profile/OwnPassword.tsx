/** The user's own password, with the dialog that changes it. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useCredentialRefusal } from '../../../components/credential-refusal.ts';
import { type CredentialError, findPasswordError } from '../../../components/credentials.ts';
import { Panel } from '../../../components/Page.tsx';
import { PasswordField } from '../../../components/PasswordField.tsx';
import { DialogButton } from '../../forms/DialogButton.tsx';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { setSignedIn, useStaffSession } from '../../session/session-store.ts';
import { useMinPasswordLength } from '../../session/sign-in-options.ts';

export function OwnPassword() {
  const { t } = useMessages();
  const button = (
    <DialogButton
      icon={KeyRound}
      label={t('ownPassword.change')}
      dialog={(close) => <ChangePasswordDialog onClose={close} />}
    />
  );
  return (
    <Panel title={t('ownPassword.title')} aside={button}>
      <p className="panel-intro">{t('ownPassword.intro')}</p>
    </Panel>
  );
}

type FieldErrors = { readonly current: CredentialError | null; readonly next: CredentialError | null };

const noErrors: FieldErrors = { current: null, next: null };

function ChangePasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { t, language } = useMessages();
  const { email } = useStaffSession().staff;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [errors, setErrors] = useState(noErrors);
  const least = useMinPasswordLength();
  const { dialog, clear } = useDialogChange('changeStaffPassword', {
    request: () => {
      const found = {
        current: findPasswordError(current),
        next: findPasswordError(next, { least }),
      };
      setErrors(found);
      if (found.current !== null || found.next !== null) return null;
      return { body: { current_password: current, new_password: next, language } };
    },
    success: t('ownPassword.changed'),
    onSuccess: (session) => {
      setSignedIn(session);
      onClose();
    },
    onClose,
  });
  const refused = useCredentialRefusal(dialog.failure, { password: next, accountEmail: email, minLength: least });
  const isWrong = dialog.failure?.code === 'INVALID_CREDENTIALS';
  const describe = (error: CredentialError | null) => (error === null ? null : t(`credentials.${error}`, { least }));
  const forget = () => {
    setErrors(noErrors);
    clear();
  };
  return (
    <FormDialog
      {...dialog}
      title={t('ownPassword.change')}
      text={t('ownPassword.changeText')}
      submitLabel={t('ownPassword.change')}
      failure={isWrong || refused.isOfField ? null : dialog.failure}
    >
      {/* For the browser's password manager. */}
      <input
        className="visually-hidden"
        type="email"
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <PasswordField
        label={t('ownPassword.current')}
        name="currentPassword"
        autoFocus
        value={current}
        onChange={(text) => {
          setCurrent(text);
          forget();
        }}
        error={describe(errors.current) ?? (isWrong ? t('ownPassword.currentWrong') : null)}
      />
      <PasswordField
        label={t('ownPassword.new')}
        name="newPassword"
        isNew
        minLength={least}
        value={next}
        onChange={(text) => {
          setNext(text);
          forget();
        }}
        error={describe(errors.next)}
        refusal={refused.password}
      />
    </FormDialog>
  );
}
