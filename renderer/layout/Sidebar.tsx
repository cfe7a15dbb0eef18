/** Navigation and account menu; in a narrow window a column of icons or a bar at the bottom. */
import { ChevronsUpDown, LogOut, Search, ShieldOff } from 'lucide-react';
import { bridge } from '../bridge.ts';
import { Brand } from '../components/Brand.tsx';
import { MenuItem, Popover } from '../components/Popover.tsx';
import { showToast } from '../components/toast-store.ts';
import { type ActivationCount, activationCount } from '../i18n/account-messages.ts';
import { useMessages } from '../i18n/messages.ts';
import { hrefOf, type Route, routeIcons, routes } from '../routing.ts';
import { runCommand } from '../run-command.ts';
import { showPalette, useApp, useStore } from '../store.ts';
import { useFailureToast } from '../use-action.ts';

export function Sidebar() {
  const { t } = useMessages();
  return (
    <div className="sidebar">
      <Brand />
      <button type="button" className="sidebar-search" onClick={() => showPalette(true)}>
        <Search className="icon" aria-hidden />
        <span className="sidebar-label">{t('palette.open')}</span>
        <span className="keys" data-keys={isMac ? '⌘K' : 'Ctrl K'} aria-hidden />
      </button>
      <nav aria-label={t('navigation.label')}>
        <ul>
          {routes.map((route) => (
            <NavigationItem key={route} route={route} />
          ))}
        </ul>
      </nav>
      <AccountMenu />
    </div>
  );
}

const isMac = navigator.platform.startsWith('Mac');

function NavigationItem({ route }: { readonly route: Route }) {
  const { t } = useMessages();
  const current = useStore((store) => store.route === route);
  const Icon = routeIcons[route];
  const count = useActivationCount(route);
  const label = t(`navigation.${route}`);
  return (
    <li>
      <a
        className="nav-link"
        href={hrefOf(route)}
        aria-current={current ? 'page' : undefined}
        aria-description={count === null ? undefined : t('navigation.deviceCount', count)}
        title={label}
      >
        <Icon className="icon" aria-hidden />
        <span className="sidebar-label">{label}</span>
      </a>
      {count !== null && (
        <span className="nav-count tabular" aria-hidden>
          {count.used}/{count.max}
        </span>
      )}
    </li>
  );
}

/** The activations of this device's license, or else of the account's. */
function useActivationCount(route: Route): ActivationCount | null {
  const own = useApp((app) => app.thisDevice?.license ?? null);
  const account = useApp((app) => (app.session.kind === 'signed-in' ? (app.session.account?.license ?? null) : null));
  return route === 'devices' ? (activationCount(own) ?? activationCount(account)) : null;
}

/** Named for the email, so that a screen reader says who is signed in. */
function AccountMenu() {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  const session = useApp((app) => app.session);
  if (session.kind !== 'signed-in') return null;
  const { email, full_name } = session.user;
  const signOut = async (allDevices: boolean) => {
    const result = await runCommand(() => bridge.signOut({ allDevices }));
    if (!result.ok) showFailure(result.failure);
    else if (allDevices) showToast(t('account.signedOutAll'));
  };
  return (
    <Popover
      role="menu"
      label={email}
      placement="above"
      buttonClassName="account"
      button={
        <>
          <span className="avatar" data-initial={(full_name.trim() || email).charAt(0).toUpperCase()} aria-hidden />
          <span className="account-email sidebar-label">{email}</span>
          <ChevronsUpDown className="icon icon-small account-mark" aria-hidden />
        </>
      }
    >
      {() => (
        <>
          <MenuItem icon={LogOut} onPress={() => void signOut(false)}>
            {t('account.signOut')}
          </MenuItem>
          <MenuItem icon={ShieldOff} onPress={() => void signOut(true)}>
            {t('account.signOutAll')}
          </MenuItem>
        </>
      )}
    </Popover>
  );
}
