/** Frame of every screen of the admin page: sidebar, connection notice and command palette. */
import { type FunctionComponent, useEffect } from 'react';
import { ErrorBoundary } from '../../components/ErrorBoundary.tsx';
import { useMessages } from '../i18n/messages.ts';
import { goTo, places, type Screen, useAddress } from '../routing.ts';
import { Accounts } from '../screens/accounts/Accounts.tsx';
import { ApiKeys } from '../screens/api-keys/ApiKeys.tsx';
import { Audit } from '../screens/audit/Audit.tsx';
import { Devices } from '../screens/devices/Devices.tsx';
import { Features } from '../screens/features/Features.tsx';
import { Installers } from '../screens/installers/Installers.tsx';
import { resetPublishing } from '../screens/installers/publish-store.ts';
import { Licenses } from '../screens/licenses/Licenses.tsx';
import { Overview } from '../screens/overview/Overview.tsx';
import { Plans } from '../screens/plans/Plans.tsx';
import { Profile } from '../screens/profile/Profile.tsx';
import { ServerScreen } from '../screens/server/ServerScreen.tsx';
import { Staff } from '../screens/staff/Staff.tsx';
import { BillingEvents } from '../screens/webhooks/BillingEvents.tsx';
import { Webhooks } from '../screens/webhooks/Webhooks.tsx';
import { AdminPalette } from './AdminPalette.tsx';
import { AdminSidebar } from './AdminSidebar.tsx';
import { ConnectionNotice } from './ConnectionNotice.tsx';
import { showPalette } from './palette-store.ts';

const screens: Readonly<Record<Screen, FunctionComponent>> = {
  overview: Overview,
  accounts: Accounts,
  licenses: Licenses,
  devices: Devices,
  apiKeys: ApiKeys,
  plans: Plans,
  features: Features,
  installers: Installers,
  audit: Audit,
  webhooks: Webhooks,
  billingEvents: BillingEvents,
  server: ServerScreen,
  profile: Profile,
  staff: Staff,
};

export function AdminLayout() {
  const { t } = useMessages();
  const { screen } = useAddress();
  const Content = screens[screen];
  useShortcuts();
  // An installer upload prepared by one staff member must not be visible to the next.
  useEffect(() => resetPublishing, []);
  useEffect(() => {
    document.title = `${t(`navigation.${screen}`)} · ${t('name')}`;
  }, [screen, t]);
  return (
    <div className="layout admin">
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        {t('navigation.skip')}
      </button>
      <AdminSidebar />
      <div className="layout-main">
        <ConnectionNotice />
        {/* Scrollable, so it must be focusable by keyboard even if nothing in it is. */}
        <main id="content" className="content" tabIndex={0}>
          <ErrorBoundary key={screen}>
            <Content />
          </ErrorBoundary>
        </main>
      </div>
      <AdminPalette />
    </div>
  );
}

/** Handles shortcuts: Ctrl or Cmd with 1 to 9, and 0 for the tenth, opens a place; with K, the command palette. */
function useShortcuts(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      const place = /^\d$/.test(event.key) ? places[(Number(event.key) + 9) % 10] : undefined;
      const isPaletteKey = event.key.toLowerCase() === 'k';
      if (place === undefined && !isPaletteKey) return;
      event.preventDefault();
      // Ignored while a dialog is waiting for an answer.
      if (document.querySelector('dialog[open]') !== null) return;
      if (isPaletteKey) showPalette(true);
      else if (place !== undefined) goTo(place);
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}
