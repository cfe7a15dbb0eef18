/** Navigation and account menu of the admin page. */
import { LogOut, Search, ShieldUser, UserRoundCog } from 'lucide-react';
import { MenuItem } from '../../components/Popover.tsx';
import { AccountMenu, NavigationLink, SidebarFrame } from '../../components/SidebarParts.tsx';
import { useMessages } from '../i18n/messages.ts';
import { goTo, hrefOf, placeIcons, places, useAddress } from '../routing.ts';
import { useStaffSession } from '../session/session-store.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { showPalette } from './palette-store.ts';

export function AdminSidebar() {
  const { t } = useMessages();
  const { screen } = useAddress();
  return (
    <SidebarFrame
      searchLabel={t('navigation.commands')}
      onSearch={() => showPalette(true)}
      navigationLabel={t('navigation.label')}
      links={places.map((place) => (
        <li key={place}>
          <NavigationLink
            href={hrefOf(place)}
            label={t(`navigation.${place}`)}
            icon={placeIcons[place]}
            isCurrent={screen === place || (screen === 'billingEvents' && place === 'webhooks')}
          />
        </li>
      ))}
      account={<StaffMenu />}
    />
  );
}

function StaffMenu() {
  const { t } = useMessages();
  const signOut = useSignOut();
  const { staff } = useStaffSession();
  return (
    <AccountMenu user={staff} more={t(`role.${staff.role}.name`)}>
      <MenuItem icon={UserRoundCog} onPress={() => goTo('profile')}>
        {t('navigation.profile')}
      </MenuItem>
      <MenuItem icon={ShieldUser} onPress={() => goTo('staff')}>
        {t('navigation.staff')}
      </MenuItem>
      <MenuItem icon={Search} onPress={() => showPalette(true)}>
        {t('palette.title')}
      </MenuItem>
      <MenuItem icon={LogOut} onPress={() => void signOut()}>
        {t('session.signOut')}
      </MenuItem>
    </AccountMenu>
  );
}
