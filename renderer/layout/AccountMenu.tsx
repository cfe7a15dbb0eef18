/** The account at the sidebar's foot: its menu is named for the email. */
import { ChevronsUpDown, LogOut, ShieldOff } from 'lucide-react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { ask, bridge } from '../bridge.ts';
import { failureSentence } from '../i18n/failure-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { notify, useApp } from '../store.ts';

export function AccountMenu() {
  const { t } = useSentences();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { email, full_name } = session.user;
  const signOut = async (allDevices: boolean) => {
    const result = await ask(() => bridge.signOut({ allDevices }));
    if (!result.ok) notify(failureSentence(result.failure, t).what, 'blocked');
    else if (allDevices) notify(t('account.signedOutAll'));
  };
  return (
    <MenuTrigger>
      <Button className="account">
        <span className="avatar" data-initial={(full_name.trim() || email).charAt(0).toUpperCase()} aria-hidden />
        <span className="account-email sidebar-label">{email}</span>
        <ChevronsUpDown className="icon icon-small account-mark" aria-hidden />
      </Button>
      <Popover className="popover" placement="top start">
        <Menu className="menu" onAction={(key) => void signOut(key === 'all')}>
          <MenuItem id="one" className="menu-item" textValue={t('account.signOut')}>
            <LogOut className="icon" aria-hidden />
            {t('account.signOut')}
          </MenuItem>
          <MenuItem id="all" className="menu-item" textValue={t('account.signOutAll')}>
            <ShieldOff className="icon" aria-hidden />
            {t('account.signOutAll')}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
