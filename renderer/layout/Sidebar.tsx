/** Navigation and account menu of the window. */
import { LogOut, ShieldOff } from 'lucide-react';
import { bridge } from '../bridge.ts';
import { MenuItem } from '../components/Popover.tsx';
import { AccountMenu, NavigationLink, SidebarFrame } from '../components/SidebarParts.tsx';
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
    <SidebarFrame
      searchLabel={t('palette.open')}
      onSearch={() => showPalette(true)}
      navigationLabel={t('navigation.label')}
      links={routes.map((route) => <NavigationItem key={route} route={route} />)}
      account={<UserMenu />}
    />
  );
}

function NavigationItem({ route }: { readonly route: Route }) {
  const { t } = useMessages();
  const isCurrent = useStore((store) => store.route === route);
  const count = useActivationCount(route);
  return (
    <li>
      <NavigationLink
        href={hrefOf(route)}
        label={t(`navigation.${route}`)}
        description={count === null ? undefined : t('navigation.deviceCount', count)}
        icon={routeIcons[route]}
        isCurrent={isCurrent}
      />
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

function UserMenu() {
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
    <AccountMenu user={user}>
      <MenuItem icon={LogOut} onPress={() => void signOut(false)}>
        {t('account.signOut')}
      </MenuItem>
      <MenuItem icon={ShieldOff} onPress={() => void signOut(true)}>
        {t('account.signOutAll')}
      </MenuItem>
    </AccountMenu>
  );
}
