/** A dialog that deletes the account. */
import { bridge } from '../account-bridge.ts';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { ConfirmWithPasswordDialog } from './ConfirmWithPasswordDialog.tsx';

type Props = { readonly email: string; readonly onClose: () => void };

export function DeleteAccountDialog({ email, onClose }: Props) {
  const { t, language } = useMessages();
  return (
    <ConfirmWithPasswordDialog
      title={t('security.deleteTitle')}
      text={t('security.deleteText', { email })}
      confirmLabel={t('security.deleteConfirm')}
      act={(password) => bridge.deleteAccount({ password, language })}
      onDone={() => showToast(t('security.deleted'))}
      onClose={onClose}
    />
  );
}
