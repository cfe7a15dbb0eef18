/** Navigation and account menu; on a narrow page a column of icons or a bar at the bottom. */
import { ChevronsUpDown, LogOut, Search, ShieldUser, UserRoundCog } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Brand } from '../../components/Brand.tsx';
import { MenuItem, Popover } from '../../components/Popover.tsx';
import { useMessages } from '../i18n/messages.ts';
import { goTo, hrefOf, type Place, placeIcons, places, useAddress } from '../routing.ts';
import { useStaffSession } from '../session/session-store.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { showPalette } from './palette-store.ts';

export function AdminSidebar() {
  const { t } = useMessages();
  return (
    <div className="sidebar">
      <Brand />
      <button type="button" className="sidebar-search" onClick={() => showPalette(true)}>
        <Search className="icon" aria-hidden />
        <span className="sidebar-label">{t('navigation.commands')}</span>
        <span className="keys" data-keys={isMac ? '⌘K' : 'Ctrl K'} aria-hidden />
      </button>
      <nav aria-label={t('navigation.label')}>
        <ul>
          {places.map((place) => (
            <NavigationItem key={place} place={place} />
          ))}
        </ul>
      </nav>
      <AccountMenu />
    </div>
  );
}

const isMac = navigator.platform.startsWith('Mac');

function NavigationItem({ place }: { readonly place: Place }) {
  const { t } = useMessages();
  const isCurrent = useAddress().screen === place;
  const ref = useRef<HTMLAnchorElement>(null);
  // On a narrow page the bar scrolls.
  useEffect(() => {
    if (isCurrent) ref.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [isCurrent]);
  const Icon = placeIcons[place];
  const label = t(`navigation.${place}`);
  return (
    <li>
      <a
        ref={ref}
        className="nav-link"
        href={hrefOf(place)}
        aria-current={isCurrent ? 'page' : undefined}
        title={label}
      >
        <Icon className="icon" aria-hidden />
        <span className="sidebar-label">{label}</span>
      </a>
    </li>
  );
}

/** Named for the email, so that a screen reader says who is signed in. */
function AccountMenu() {
  const { t } = useMessages();
  const signOut = useSignOut();
  const { email, full_name, role } = useStaffSession().staff;
  return (
    <Popover
      role="menu"
      label={email}
      placement="above"
      buttonClassName="account"
      button={
        <>
          <span className="avatar" data-initial={(full_name.trim() || email).charAt(0).toUpperCase()} aria-hidden />
          <span className="account-text sidebar-label">
            <span className="account-email">{email}</span>
            <span className="account-role" aria-hidden>
              {t(`role.${role}.name`)}
            </span>
          </span>
          <ChevronsUpDown className="icon icon-small account-mark" aria-hidden />
        </>
      }
    >
      {() => (
        <>
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
        </>
      )}
    </Popover>
  );
}
