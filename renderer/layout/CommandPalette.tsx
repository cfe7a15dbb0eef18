/** The command palette: every command and route by name, opened with Ctrl or Cmd and K. */
import {
  CircleHelp,
  FileDown,
  LogOut,
  type LucideIcon,
  Moon,
  RefreshCw,
  ScanSearch,
  Search,
  Stethoscope,
  Sun,
  SunMoon,
} from 'lucide-react';
import {
  Autocomplete,
  Dialog,
  Input,
  Menu,
  MenuItem,
  Modal,
  ModalOverlay,
  SearchField,
  useFilter,
} from 'react-aria-components';
import type { Result } from '../../shared/ipc/result.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { bridge, runCommand } from '../bridge.ts';
import { useMessages } from '../i18n/messages.ts';
import { goTo, routeIcons, routes } from '../routing.ts';
import { showDoctor, showPalette, showToast, useApp, useStore } from '../store.ts';
import { useFailureToast } from '../use-action.ts';

export function CommandPalette() {
  const open = useStore((store) => store.paletteOpen);
  return (
    <ModalOverlay className="overlay overlay-top" isOpen={open} isDismissable onOpenChange={showPalette}>
      <Modal className="modal palette">
        <Palette />
      </Modal>
    </ModalOverlay>
  );
}

function Palette() {
  const { t } = useMessages();
  const { contains } = useFilter({ sensitivity: 'base' });
  const commands = useCommands();
  const runById = (id: string) => {
    showPalette(false);
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <Dialog className="dialog palette-dialog" aria-label={t('palette.title')}>
      <Autocomplete filter={contains}>
        <SearchField className="palette-field" aria-label={t('palette.field')} autoFocus>
          <Search className="icon" aria-hidden />
          <Input className="palette-input" placeholder={t('palette.field')} />
        </SearchField>
        <Menu
          className="menu"
          aria-label={t('palette.title')}
          items={commands}
          onAction={(key) => runById(String(key))}
          renderEmptyState={() => <p className="palette-empty">{t('palette.none')}</p>}
        >
          {({ id, label, keys, icon: Icon }) => (
            <MenuItem id={id} className="menu-item" textValue={label}>
              <Icon className="icon" aria-hidden />
              <span className="menu-item-label">{label}</span>
              {keys !== undefined && <kbd>{keys}</kbd>}
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}

type PaletteCommand = {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  readonly run: () => void;
};

/** Routes first, then everything that can be done now. */
function useCommands(): readonly PaletteCommand[] {
  const routeCommands = useRouteCommands();
  const attempt = useAttempt();
  const themeCommands = useThemeCommands(attempt);
  const { t } = useMessages();
  const canExport = useApp((app) => app.features.some(({ feature, on }) => feature === 'csv_export' && on));
  const hasHelp = useApp((app) => app.app.links.includes('help'));
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
  const signOut = () => attempt(() => bridge.signOut({ allDevices: false }));
  const chooseInstaller = () => {
    goTo('installer');
    attempt(() => bridge.chooseInstaller());
  };
  return [
    ...routeCommands,
    { id: 'check', label: t('license.checkNow'), icon: RefreshCw, run: () => attempt(() => bridge.syncNow()) },
    { id: 'doctor', label: t('doctor.title'), icon: Stethoscope, run: () => showDoctor(true) },
    { id: 'choose', label: t('installer.choose'), icon: ScanSearch, run: chooseInstaller },
    ...(canExport ? [exportHistory] : []),
    ...themeCommands,
    ...(hasHelp ? [help] : []),
    { id: 'sign-out', label: t('account.signOut'), icon: LogOut, run: signOut },
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
    label: t('palette.theme', { theme: t(`settings.${key}`) }),
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
