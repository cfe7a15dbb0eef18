/** A dialog that deletes the account. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';

type Props = { readonly email: string; readonly onClose: () => void };

/** States what will be lost, and asks for the password. */
export function DeleteAccountDialog({ email, onClose }: Props) {
  const { t, language } = useMessages();
  const action = useAction();
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const isWrong = action.failure?.code === 'INVALID_CREDENTIALS';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMissing(password === '');
    if (password === '') return;
    if ((await action.run(() => bridge.deleteAccount({ password, language }))) !== null)
      showToast(t('security.deleted'));
  };
  return (
    <Modal title={t('security.deleteTitle')} role="alertdialog" focus="first" dismissable={false} onClose={onClose}>
      <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
        <h2>{t('security.deleteTitle')}</h2>
        <p className="dialog-text">{t('security.deleteText', { email })}</p>
        {action.failure !== null && !isWrong && <FailureAlert failure={action.failure} />}
        <PasswordField
          label={t('security.currentPassword')}
          name="currentPassword"
          value={password}
          onChange={(text) => {
            setPassword(text);
            setMissing(false);
            action.clear();
          }}
          isNew={false}
          error={isWrong ? t('security.currentWrong') : missing ? t('credentials.passwordMissing') : null}
        />
        <div className="dialog-actions">
          <ActionButton onPress={onClose}>{t('common.cancel')}</ActionButton>
          <ActionButton variant="danger" type="submit" pending={action.pending}>
            {t('security.deleteConfirm')}
          </ActionButton>
        </div>
      </form>
    </Modal>
  );
}
