/** The commands of the command palette: the routes, the actions available now, and items found by name. */
import {
  Bell,
  BellOff,
  Check,
  CircleHelp,
  ClipboardPaste,
  ExternalLink,
  FileDown,
  FileText,
  FileUp,
  Folder,
  FolderOpen,
  Keyboard,
  KeyRound,
  LogIn,
  LogOut,
  type LucideIcon,
  Minus,
  Moon,
  PackageCheck,
  Pencil,
  RefreshCw,
  RotateCw,
  ScanSearch,
  ShieldCheck,
  ShieldOff,
  Stethoscope,
  Sun,
  SunMoon,
} from 'lucide-react';
import type { Settings } from '../../shared/ipc/settings.ts';
import { placeShortcuts, shortcuts } from '../../shared/ipc/shortcuts.ts';
import { bridge } from '../bridge.ts';
import type { PaletteCommand } from '../components/CommandPalette.tsx';
import { withPendingToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { routeOf, showLeaseImport } from '../open-request.ts';
import { useFeatureTexts, useVisibleFeatures } from '../routes/FeaturesPanel.tsx';
import { goTo, routeIcons } from '../routing.ts';
import { runCommand } from '../run-command.ts';
import {
  askLicenseKey,
  canRenewLease,
  explain,
  needsLicenseKey,
  showDoctor,
  showRename,
  showShortcuts,
  showSignIn,
  showSupportFile,
  useApp,
} from '../store.ts';
import { type Attempt, useAttempt } from '../use-action.ts';
import { useFoundCommands } from './use-found-commands.ts';
import { useKeysOf } from './use-keys-of.ts';
import { useSignOut } from './use-sign-out.ts';

/** Returns the commands that make sense in the current state. */
export function useWindowCommands(): readonly PaletteCommand[] {
  const attempt = useAttempt();
  return [
    ...useRouteCommands(),
    ...useDeviceCommands(attempt),
    ...useOfflineCommands(attempt),
    ...useAppCommands(attempt),
    ...useThemeCommands(attempt),
    ...useNotificationCommands(attempt),
    ...useFeatureCommands(),
    ...useAccountCommands(attempt),
    ...useFoundCommands(),
  ];
}

function useRouteCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  const keysOf = useKeysOf();
  return placeShortcuts.map(([place, shortcut]) => {
    const route = routeOf(place);
    return {
      id: route,
      label: t('palette.goTo', { page: t(`navigation.${route}`) }),
      icon: routeIcons[route],
      keys: keysOf(shortcut),
      run: () => goTo(route),
    };
  });
}

function useDeviceCommands(attempt: Attempt): readonly PaletteCommand[] {
  const { t } = useMessages();
  const canExport = useApp((app) => app.features.some(({ feature, on }) => feature === 'csv_export' && on));
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const needsKey = useApp(needsLicenseKey);
  const check = () => attempt(() => bridge.syncNow());
  const exportHistory = () =>
    attempt(
      () => bridge.exportHistory(),
      ({ path }) => t('activity.exported', { path }),
    );
  return [
    // Without a user, there is nothing to check.
    ...only(isSignedIn, { id: 'check', label: t('license.checkNow'), icon: RefreshCw, run: check }),
    { id: 'doctor', label: t('doctor.title'), icon: Stethoscope, run: () => showDoctor(true) },
    { id: 'rename', label: t('devices.rename'), icon: Pencil, run: () => showRename(true) },
    ...only(canExport, { id: 'export', label: t('activity.export'), icon: FileDown, run: exportHistory }),
    ...only(needsKey, { id: 'key', label: t('license.enterKey'), icon: KeyRound, run: askLicenseKey }),
  ];
}

/** Returns no commands if the server is known not to sign leases. */
function useOfflineCommands(attempt: Attempt): readonly PaletteCommand[] {
  const { t } = useMessages();
  const isMissing = useApp((app) => app.server.leases === 'missing');
  const canRenew = useApp(canRenewLease);
  const hasKey = useApp((app) => app.thisDevice !== null && app.thisDevice.license !== null);
  const saveRequest = () =>
    attempt(
      () => bridge.saveLeaseRequest({ licenseKey: '' }),
      ({ path }) => t('offline.saved', { path }),
    );
  const renew = () =>
    attempt(
      () => withPendingToast(t('offlineUse.renewing'), bridge.renewLease()),
      () => t('offlineUse.renewed'),
    );
  const importFile = () => showLeaseImport({ kind: 'choose' });
  const paste = () => showLeaseImport({ kind: 'paste' });
  return only(
    !isMissing,
    ...only(canRenew, { id: 'renew', label: t('offlineUse.renewCommand'), icon: RotateCw, run: renew }),
    ...only(hasKey, { id: 'request', label: t('offline.save'), icon: FileUp, run: saveRequest }),
    { id: 'import', label: t('offline.importFile'), icon: FolderOpen, run: importFile },
    { id: 'paste', label: t('offline.paste'), icon: ClipboardPaste, run: paste },
  );
}

function useAppCommands(attempt: Attempt): readonly PaletteCommand[] {
  const { t } = useMessages();
  const hasHelp = useApp((app) => app.app.links.includes('help'));
  const canOpenFolder = useApp((app) => app.app.runtime === 'electron' && app.app.dataFolder !== null);
  const keysOf = useKeysOf();
  const ownInstallerKnown = useApp((app) => app.app.ownInstallerKnown);
  // The screen shows the outcome.
  const verifyOwn = () => {
    goTo('installer');
    void runCommand(() => bridge.verifyInstallation());
  };
  const chooseInstaller = () => {
    goTo('installer');
    attempt(() => bridge.chooseInstaller());
  };
  // The screen shows the outcome.
  const checkForUpdates = () => {
    goTo('installer');
    void runCommand(() => bridge.checkForUpdates());
  };
  const openHelp = () => attempt(() => bridge.openLink({ name: 'help' }));
  const openDataFolder = () => attempt(() => bridge.openDataFolder());
  return [
    { id: 'choose', label: t('installer.choose'), icon: ScanSearch, run: chooseInstaller },
    ...only(ownInstallerKnown, { id: 'verify', label: t('installer.verifyOwn'), icon: ShieldCheck, run: verifyOwn }),
    { id: 'updates', label: t('updates.check'), icon: PackageCheck, run: checkForUpdates },
    {
      id: 'shortcuts',
      label: t('shortcuts.title'),
      icon: Keyboard,
      keys: keysOf(shortcuts.shortcuts[0]),
      run: () => showShortcuts(true),
    },
    { id: 'support', label: t('diagnostics.saveSupport'), icon: FileText, run: () => showSupportFile(true) },
    ...only(canOpenFolder, {
      id: 'data-folder',
      label: t('privacy.openCommand'),
      icon: Folder,
      run: openDataFolder,
    }),
    ...only(hasHelp, { id: 'help', label: t('settings.help'), icon: CircleHelp, run: openHelp }),
  ];
}

const themes: readonly (readonly [Settings['theme'], 'themeSystem' | 'themeLight' | 'themeDark', LucideIcon])[] = [
  ['system', 'themeSystem', SunMoon],
  ['light', 'themeLight', Sun],
  ['dark', 'themeDark', Moon],
];

function useThemeCommands(attempt: Attempt): readonly PaletteCommand[] {
  const { t } = useMessages();
  return themes.map(([theme, key, icon]) => ({
    id: `theme-${theme}`,
    label: t('palette.theme', { theme: t(`appearance.${key}`) }),
    icon,
    run: () => attempt(() => bridge.changeSettings({ theme })),
  }));
}

/** Returns the command that turns notifications on or off; only Electron can show them. */
function useNotificationCommands(attempt: Attempt): readonly PaletteCommand[] {
  const { t } = useMessages();
  const on = useApp((app) => app.settings.notifications);
  const canNotify = useApp((app) => app.app.runtime === 'electron');
  return only(canNotify, {
    id: 'notifications',
    label: t(on ? 'settings.notificationsOff' : 'settings.notificationsOn'),
    icon: on ? BellOff : Bell,
    run: () => attempt(() => bridge.changeSettings({ notifications: !on })),
  });
}

/** Returns one command per feature, which explains its state. */
function useFeatureCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  const textOf = useFeatureTexts();
  return useVisibleFeatures().map(({ feature, on }) => ({
    id: `feature-${feature}`,
    label: t('features.command', {
      feature: textOf(feature).title,
      state: t(on ? 'features.on' : 'features.off'),
    }),
    icon: on ? Check : Minus,
    run: () => explain(feature),
  }));
}

/** Offers sign-out only while signed in: otherwise it would delete an imported lease. */
function useAccountCommands(attempt: Attempt): readonly PaletteCommand[] {
  const { t } = useMessages();
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const hasAccountPage = useApp((app) => app.server.offers?.accountPage === true);
  const signOut = useSignOut();
  const openAccountPage = () => attempt(() => bridge.openAccountPage());
  const signOutHere = () => signOut({ allDevices: false });
  const signOutAll = () => signOut({ allDevices: true });
  return [
    ...only(hasAccountPage, {
      id: 'account-page',
      label: t('settings.accountPage'),
      icon: ExternalLink,
      run: openAccountPage,
    }),
    ...only(!isSignedIn, { id: 'sign-in', label: t('credentials.signIn'), icon: LogIn, run: () => showSignIn(true) }),
    ...only(
      isSignedIn,
      { id: 'sign-out', label: t('account.signOut'), icon: LogOut, run: signOutHere },
      { id: 'sign-out-all', label: t('account.signOutAll'), icon: ShieldOff, run: signOutAll },
    ),
  ];
}

function only(isPossible: boolean, ...commands: readonly PaletteCommand[]): readonly PaletteCommand[] {
  return isPossible ? commands : [];
}
