/** The command palette of the window: every command and route by name. */
import {
  CircleHelp,
  FileDown,
  LogIn,
  LogOut,
  type LucideIcon,
  Moon,
  RefreshCw,
  ScanSearch,
  Stethoscope,
  Sun,
  SunMoon,
} from 'lucide-react';
import type { Result } from '../../shared/ipc/result.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { bridge } from '../bridge.ts';
import { CommandPalette, type PaletteCommand } from '../components/CommandPalette.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { goTo, routeIcons, routes } from '../routing.ts';
import { runCommand } from '../run-command.ts';
import { showDoctor, showPalette, showSignIn, useApp } from '../store.ts';
import { useFailureToast } from '../use-action.ts';
import { useSignOut } from './use-sign-out.ts';

/** Shown while it is open. */
export function WindowPalette() {
  return <CommandPalette commands={useCommands()} onClose={() => showPalette(false)} />;
}

/** Routes first, then everything that can be done now. */
function useCommands(): readonly PaletteCommand[] {
  const routeCommands = useRouteCommands();
  const attempt = useAttempt();
  const themeCommands = useThemeCommands(attempt);
  const { t } = useMessages();
  const canExport = useApp((app) => app.features.some(({ feature, on }) => feature === 'csv_export' && on));
  const hasHelp = useApp((app) => app.app.links.includes('help'));
  const signOut = useSignOut();
  // Without a user there is nothing to check, and signing out would delete an imported lease.
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const exportHistory: PaletteCommand = {
    id: 'export',
    label: t('activity.export'),
    icon: FileDown,
    run: () =>
      attempt(
        () => bridge.exportHistory(),
        ({ path }) => t('activity.exported', { path }),
      ),
  };
  const help: PaletteCommand = {
    id: 'help',
    label: t('settings.help'),
    icon: CircleHelp,
    run: () => attempt(() => bridge.openLink({ name: 'help' })),
  };
  const check: PaletteCommand = {
    id: 'check',
    label: t('license.checkNow'),
    icon: RefreshCw,
    run: () => attempt(() => bridge.syncNow()),
  };
  const signOutHere: PaletteCommand = {
    id: 'sign-out',
    label: t('account.signOut'),
    icon: LogOut,
    run: () => signOut({ allDevices: false }),
  };
  const signIn: PaletteCommand = {
    id: 'sign-in',
    label: t('credentials.signIn'),
    icon: LogIn,
    run: () => showSignIn(true),
  };
  const chooseInstaller = () => {
    goTo('installer');
    attempt(() => bridge.chooseInstaller());
  };
  return [
    ...routeCommands,
    ...(isSignedIn ? [check] : []),
    { id: 'doctor', label: t('doctor.title'), icon: Stethoscope, run: () => showDoctor(true) },
    { id: 'choose', label: t('installer.choose'), icon: ScanSearch, run: chooseInstaller },
    ...(canExport ? [exportHistory] : []),
    ...themeCommands,
    ...(hasHelp ? [help] : []),
    isSignedIn ? signOutHere : signIn,
  ];
}

function useRouteCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  return routes.map((route, index) => ({
    id: route,
    label: t('palette.goTo', { page: t(`navigation.${route}`) }),
    icon: routeIcons[route],
    keys: String(index + 1),
    run: () => goTo(route),
  }));
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

type Attempt = <T>(command: () => Promise<Result<T>>, describe?: (value: T) => string) => void;

/** Runs a command; shows its failure, or what `describe` makes of its value, as a toast. */
function useAttempt(): Attempt {
  const showFailure = useFailureToast();
  return (command, describe) =>
    void runCommand(command).then((result) => {
      if (!result.ok) showFailure(result.failure);
      else if (describe !== undefined) showToast(describe(result.value));
    });
}
