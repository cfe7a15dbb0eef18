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
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import type { Result } from '../../shared/ipc/result.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { bridge, runCommand } from '../bridge.ts';
import { Modal } from '../components/Dialogs.tsx';
import { useMessages } from '../i18n/messages.ts';
import { goTo, routeIcons, routes } from '../routing.ts';
import { showDoctor, showPalette, showToast, useApp, useStore } from '../store.ts';
import { useFailureToast } from '../use-action.ts';

export function CommandPalette() {
  const open = useStore((store) => store.paletteOpen);
  return open ? <Palette /> : null;
}

/** The index of the active command where none is: Enter in the empty field does nothing. */
const none = -1;

/** A combobox: the focus stays in the field, from which the arrow keys move through the commands. */
function Palette() {
  const { t, locale } = useMessages();
  const listId = useId();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(none);
  const commands = useCommands();
  const found = commands.filter(({ label }) => containsText(label, query.trim(), locale));
  const run = (command: PaletteCommand | undefined) => {
    if (command === undefined) return;
    showPalette(false);
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: active + 1, ArrowUp: Math.max(active, 0) - 1 };
    const next = steps[event.key];
    if (next === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (next === undefined) run(found[active]);
    else setActive((next + found.length) % Math.max(found.length, 1));
  };
  const optionId = (index: number) => `${listId}-${index}`;
  return (
    <Modal title={t('palette.title')} className="palette" focus="first" onClose={() => showPalette(false)}>
      <div className="palette-field">
        <Search className="icon" aria-hidden />
        <input
          type="text"
          className="palette-input"
          role="combobox"
          aria-label={t('palette.field')}
          aria-expanded
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active in found ? optionId(active) : undefined}
          placeholder={t('palette.field')}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(event.target.value === '' ? none : 0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={listId} className="menu" role="listbox" aria-label={t('palette.title')}>
        {found.map((command, index) => (
          <PaletteOption
            key={command.id}
            id={optionId(index)}
            command={command}
            active={index === active}
            onActive={() => setActive(index)}
            onPress={() => run(command)}
          />
        ))}
      </div>
      <p className="palette-empty" role="status">
        {found.length === 0 ? t('palette.none') : ''}
      </p>
    </Modal>
  );
}

type PaletteOptionProps = {
  readonly id: string;
  readonly command: PaletteCommand;
  readonly active: boolean;
  readonly onActive: () => void;
  readonly onPress: () => void;
};

function PaletteOption({ id, command, active, onActive, onPress }: PaletteOptionProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  const { label, keys, icon: Icon } = command;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
    <div
      ref={ref}
      id={id}
      role="option"
      aria-selected={active}
      tabIndex={-1}
      className="menu-item"
      onPointerMove={onActive}
      onClick={onPress}
    >
      <Icon className="icon" aria-hidden />
      <span className="menu-item-label">{label}</span>
      {keys !== undefined && <kbd>{keys}</kbd>}
    </div>
  );
}

/** Ignores case and accents, and in Japanese the kind of kana. */
function containsText(text: string, part: string, locale: string): boolean {
  const { compare } = new Intl.Collator(locale, { usage: 'search', sensitivity: 'base' });
  const starts = Array.from({ length: Math.max(0, text.length - part.length + 1) }, (_, start) => start);
  return starts.some((start) => compare(text.slice(start, start + part.length), part) === 0);
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
