/** The menu of the account: signs out. */
import { LogOut, ShieldOff } from 'lucide-react';
import { bridge } from '../account-bridge.ts';
import { MenuItem } from '../components/Popover.tsx';
import { AccountMenu, type AccountMenuProps } from '../components/SidebarParts.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useFailureToast } from '../use-action.ts';

export function UserMenu({ placement }: Pick<AccountMenuProps, 'placement'>) {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { user } = session;
  const signOut = async (allDevices: boolean) => {
    const result = await runCommand(() => bridge.signOut({ allDevices }));
    if (!result.ok) showFailure(result.failure);
    else if (allDevices) showToast(t('account.signedOutAll'));
  };
  return (
    <AccountMenu user={user} placement={placement}>
      <MenuItem icon={LogOut} onPress={() => void signOut(false)}>
        {t('account.signOut')}
      </MenuItem>
      <MenuItem icon={ShieldOff} onPress={() => void signOut(true)}>
        {t('account.signOutAll')}
      </MenuItem>
    </AccountMenu>
  );
}
