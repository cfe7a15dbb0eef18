/** Navigation and account menu of the window. */
import { NavigationLink, SidebarFrame } from '../components/SidebarParts.tsx';
import { type ActivationCount, activationCount, activationExcess } from '../i18n/account-messages.ts';
import { useMessages } from '../i18n/messages.ts';
import { hrefOf, type Route, routeIcons, routes } from '../routing.ts';
import { accountOf, showPalette, useApp, useStore } from '../store.ts';
import { useServerNow } from '../use-server-now.ts';
import { UserMenu } from './UserMenu.tsx';

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
  const newVersion = useApp((app) => (route === 'installer' ? app.updates.available : null));
  return (
    <li>
      <NavigationLink
        href={hrefOf(route)}
        label={t(`navigation.${route}`)}
        description={
          (count && t('navigation.deviceCount', count)) ??
          (newVersion && t('updates.available', { version: newVersion })) ??
          undefined
        }
        icon={routeIcons[route]}
        isCurrent={isCurrent}
      />
      {count !== null && (
        <span className="nav-count tabular" aria-hidden>
          {count.used}/{count.max}
        </span>
      )}
      {newVersion !== null && <span className="nav-dot" aria-hidden />}
    </li>
  );
}

/**
 * Returns the activation count that is above the plan's limit; otherwise that of this device's license, or of the
 * account's license.
 */
function useActivationCount(route: Route): ActivationCount | null {
  const own = useApp((app) => app.thisDevice?.license ?? null);
  const account = useApp(accountOf);
  const now = useServerNow();
  if (route !== 'devices') return null;
  const excess = account && activationExcess(account, now);
  return excess ?? activationCount(own) ?? activationCount(account?.license ?? null);
}
