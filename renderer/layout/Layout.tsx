/** The signed-in window: sidebar, state header, warnings, the current screen, and the dialogs on top. */
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { worksSignedOut } from '../../shared/ipc/works-signed-out.ts';
import { bridge } from '../bridge.ts';
import { ActionButton, IconButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { LazyContent, LazyDialog, lazyComponent } from '../components/LazyContent.tsx';
import { TimedText } from '../components/Times.tsx';
import { shortTime } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { Overview } from '../routes/Overview.tsx';
import { goTo, type Route } from '../routing.ts';
import { runCommand } from '../run-command.ts';
import {
  explain,
  showDevice,
  showKeyReplacement,
  showRename,
  showShortcuts,
  showSignIn,
  useApp,
  userIdOf,
  useStore,
} from '../store.ts';
import { useCurrentEmail } from '../use-current-email.ts';
import { useDelayed, useNow } from '../use-timers.ts';
import { EndingNotice } from './EndingNotice.tsx';
import { focusContent } from './focus-content.ts';
import { KeyringDialog } from './KeyringDialog.tsx';
import { Sidebar } from './Sidebar.tsx';
import { SignOutDialog } from './SignOutDialog.tsx';
import { StateHeader } from './StateHeader.tsx';
import { RestartNotice, UpdatedNotice } from './UpdatedNotice.tsx';
import { useKeptFocus } from './use-kept-focus.ts';
import { usePastedKey } from './use-pasted-key.ts';
import { useShortcuts } from './use-shortcuts.ts';
import { WindowPalette } from './WindowPalette.tsx';

// Loaded on first use, so that the window opens sooner.
const Features = lazyComponent(async () => (await import('../routes/Features.tsx')).Features);
const Devices = lazyComponent(async () => (await import('../routes/Devices.tsx')).Devices);
const ApiKey = lazyComponent(async () => (await import('../routes/ApiKey.tsx')).ApiKey);
const Installer = lazyComponent(async () => (await import('../routes/Installer.tsx')).Installer);
const Activity = lazyComponent(async () => (await import('../routes/Activity.tsx')).Activity);
const Diagnostics = lazyComponent(async () => (await import('../routes/Diagnostics.tsx')).Diagnostics);
const Settings = lazyComponent(async () => (await import('../routes/Settings.tsx')).Settings);
const WhyDialog = lazyComponent(async () => (await import('../routes/WhyDialog.tsx')).WhyDialog);
const DeviceDetails = lazyComponent(async () => (await import('../routes/DeviceDetails.tsx')).DeviceDetails);
const ShortcutsDialog = lazyComponent(async () => (await import('../routes/ShortcutsDialog.tsx')).ShortcutsDialog);
const KeyReplacementDialog = lazyComponent(
  async () => (await import('../routes/KeyReplacementDialog.tsx')).KeyReplacementDialog,
);
const RenameDialog = lazyComponent(async () => (await import('../routes/RenameDialog.tsx')).RenameDialog);

const screens: Readonly<Record<Route, React.ComponentType>> = {
  overview: Overview,
  features: Features,
  devices: Devices,
  apiKey: ApiKey,
  installer: Installer,
  activity: Activity,
  diagnostics: Diagnostics,
  settings: Settings,
};

export function Layout() {
  const { t } = useMessages();
  const route = useStore((store) => store.route);
  const paletteOpen = useStore((store) => store.paletteOpen);
  const signOutAsked = useStore((store) => store.signOutAsked);
  const renameOpen = useStore((store) => store.renameOpen);
  const isReplacingKey = useStore((store) => store.keyReplacement !== null);
  const shortcutsOpen = useStore((store) => store.shortcutsOpen);
  const hasShownDevice = useStore((store) => store.shownDevice !== null);
  const explained = useStore((store) => store.explained);
  const Screen = screens[route];
  const mayAskForEmail = useApp(
    (app) =>
      userIdOf(app) !== null && app.server.emailChange !== 'missing' && app.server.reachability.kind === 'online',
  );
  useShortcuts();
  usePastedKey();
  useKeptFocus();
  // The settings load it themselves.
  useCurrentEmail(route !== 'settings' && mayAskForEmail);
  useEffect(() => {
    document.title = `${t(`navigation.${route}`)} · ${t('name')}`;
    return () => {
      document.title = t('name');
    };
  }, [route, t]);
  return (
    <div className="layout">
      <button type="button" className="skip" onClick={focusContent}>
        {t('navigation.skip')}
      </button>
      <Sidebar />
      <div className="layout-main">
        <StateHeader />
        {/* Scrollable, so it must be focusable by keyboard even if nothing in it is. */}
        <main id="content" className="content" tabIndex={0}>
          <RestartNotice />
          <UpdatedNotice />
          <SignInReminder />
          <EndingNotice />
          <ClockWarning />
          <UnsavedWarning />
          <Warnings />
          <ApiKeyReminder />
          <LazyContent key={route}>
            {/* The other screens still work if one does not. */}
            <ErrorBoundary>
              <Screen />
            </ErrorBoundary>
          </LazyContent>
        </main>
      </div>
      {paletteOpen && <WindowPalette />}
      {renameOpen && (
        <LazyDialog onClose={() => showRename(false)}>
          <RenameDialog onClose={() => showRename(false)} />
        </LazyDialog>
      )}
      {isReplacingKey && (
        <LazyDialog onClose={() => showKeyReplacement(null)}>
          <KeyReplacementDialog />
        </LazyDialog>
      )}
      {shortcutsOpen && (
        <LazyDialog onClose={() => showShortcuts(false)}>
          <ShortcutsDialog />
        </LazyDialog>
      )}
      {hasShownDevice && (
        <LazyDialog onClose={() => showDevice(null)}>
          <DeviceDetails />
        </LazyDialog>
      )}
      {explained !== null && (
        <LazyDialog onClose={() => explain(null)}>
          <WhyDialog feature={explained} />
        </LazyDialog>
      )}
      {signOutAsked !== null && <SignOutDialog {...signOutAsked} />}
      <KeyringDialog />
    </div>
  );
}

/** Shown on other screens while a new API key is unsaved, or once the key was revoked after being found in public. */
function ApiKeyReminder() {
  const { t } = useMessages();
  const route = useStore((store) => store.route);
  const unsaved = useApp((app) => app.apiKey?.unsaved ?? false);
  const reported = useApp((app) => app.apiKey?.revoked?.reported ?? false);
  if (route === 'apiKey' || !(unsaved || reported)) return null;
  const [title, button] = unsaved ? (['waiting', 'show'] as const) : (['reportedNow', 'open'] as const);
  return (
    <Banner
      tone={unsaved ? 'attention' : 'blocked'}
      {...(!unsaved && { role: 'alert' })}
      title={t(`apiKey.${title}`)}
      actions={<ActionButton onPress={() => goTo('apiKey')}>{t(`apiKey.${button}`)}</ActionButton>}
    />
  );
}

/** Shown while nobody is signed in and everything works through the lease. */
function SignInReminder() {
  const { t, locale } = useMessages();
  const now = useNow();
  const isSignedOut = useApp(worksSignedOut);
  const license = useApp((app) => app.license);
  const reason = useApp((app) => (app.session.kind === 'signed-out' ? app.session.reason : null));
  if (!isSignedOut || (license.kind !== 'works' && license.kind !== 'offline') || license.worksUntil === null)
    return null;
  const until = shortTime(license.worksUntil, now, locale);
  return (
    <Banner
      tone={reason === null ? 'unknown' : 'attention'}
      role="status"
      title={reason === null ? t('license.notSignedIn', { until }) : t('license.sessionExpired', { until })}
      actions={<ActionButton onPress={() => showSignIn(true)}>{t('credentials.signIn')}</ActionButton>}
    />
  );
}

/** Warns about a wrong clock, with which offline time cannot be shown or measured correctly. */
function ClockWarning() {
  const { t } = useMessages();
  const clock = useApp((app) => app.clock);
  if (clock === 'in-sync') return null;
  return (
    <Banner tone="attention" role="status" title={t(`clock.${clock}.what`)}>
      {t(`clock.${clock}.help`)}
    </Banner>
  );
}

/** Warns that the next start will ask for a sign-in. A session is not on disk yet when it begins. */
function UnsavedWarning() {
  const { t } = useMessages();
  const isUnsaved = useApp((app) => app.session.kind === 'signed-in' && app.session.isUnsaved === true);
  const problem = useApp((app) => (app.session.kind === 'signed-in' ? app.session.fileProblem : undefined));
  const isLasting = useDelayed(isUnsaved, 2000);
  if (!isLasting) return null;
  return (
    <Banner tone="attention" role="status" title={t('unsaved.what')}>
      {problem === undefined ? t('unsaved.help') : `${t(`fileProblem.${problem}`)} ${t('unsaved.next')}`}
    </Banner>
  );
}

/** Unusual activity reported by the server, until the user dismisses it. */
function Warnings() {
  const { t } = useMessages();
  const warnings = useApp((app) => app.warnings);
  return (
    // Announces new warnings, but not that their times change. Without a name, it is no landmark.
    <section
      className="warnings"
      aria-label={warnings.length > 0 ? t('warnings.label') : undefined}
      aria-live="polite"
      aria-relevant="additions"
    >
      {warnings.map((warning) => (
        <Banner
          key={warning.id}
          tone="attention"
          title={warning.text}
          actions={
            <IconButton
              icon={X}
              label={t('warnings.dismiss')}
              onPress={() => void runCommand(() => bridge.dismissWarning({ id: warning.id }))}
            />
          }
        >
          <TimedText text={t('warnings.since')} at={warning.since} />
        </Banner>
      ))}
    </section>
  );
}
