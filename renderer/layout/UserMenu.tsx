/** The account menu with the sign-out commands. */
import { LogOut, ShieldOff } from 'lucide-react';
import { MenuItem } from '../components/Popover.tsx';
import { AccountMenu, type AccountMenuProps } from '../components/SidebarParts.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useSignOut } from './use-sign-out.ts';

export function UserMenu({ placement }: Pick<AccountMenuProps, 'placement'>) {
  const { t } = useMessages();
  const signOut = useSignOut();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { user } = session;
  return (
    <AccountMenu user={user} placement={placement}>
      <MenuItem icon={LogOut} onPress={() => signOut({ allDevices: false })}>
        {t('account.signOut')}
      </MenuItem>
      <MenuItem icon={ShieldOff} onPress={() => signOut({ allDevices: true })}>
        {t('account.signOutAll')}
      </MenuItem>
    </AccountMenu>
  );
}
