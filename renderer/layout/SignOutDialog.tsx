/** Confirms signing out while offline, which deletes the lease that everything depends on. */
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { useMessages } from '../i18n/messages.ts';
import { showSignOut } from '../store.ts';
import { useSignOutNow } from './use-sign-out.ts';

export function SignOutDialog({ allDevices }: { readonly allDevices: boolean }) {
  const { t } = useMessages();
  const signOut = useSignOutNow();
  const close = () => showSignOut(null);
  const confirm = () => {
    close();
    signOut({ allDevices });
  };
  return (
    <ConfirmDialog
      title={t('account.signOutTitle')}
      text={t('account.signOutOffline')}
      confirmLabel={allDevices ? t('account.signOutAll') : t('account.signOut')}
      danger
      pending={false}
      onConfirm={confirm}
      onClose={close}
    />
  );
}
