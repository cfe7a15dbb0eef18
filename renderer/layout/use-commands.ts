/** The acts that the palette offers now. */
import {
  CircleHelp,
  FileDown,
  LogOut,
  type LucideIcon,
  Moon,
  RefreshCw,
  ScanSearch,
  Stethoscope,
  Sun,
  SunMoon,
} from 'lucide-react';
import type { Done, Result } from '../../shared/ipc/result.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { ask, bridge } from '../bridge.ts';
import { failureSentence } from '../i18n/failure-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { goTo, placeIcons, places } from '../routing.ts';
import { notify, showDoctor, useApp } from '../store.ts';

export type Command = {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly keys?: string;
  readonly run: () => void;
};

const themes: readonly (readonly [Settings['theme'], 'themeSystem' | 'themeLight' | 'themeDark', LucideIcon])[] = [
  ['system', 'themeSystem', SunMoon],
  ['light', 'themeLight', Sun],
  ['dark', 'themeDark', Moon],
];

/** Places first, then what can be done at once. A refusal is said as a notice. */
export function useCommands(): readonly Command[] {
  const { t } = useSentences();
  const canExport = useApp((app) => app.features.some(({ feature, on }) => feature === 'csv_export' && on));
  const hasHelp = useApp((app) => app.app.links.includes('help'));
  const attempt = async <T>(command: () => Promise<Result<T>>, done?: (value: T) => string) => {
    const result = await ask(command);
    if (!result.ok) notify(failureSentence(result.failure, t).what, 'blocked');
    else if (done !== undefined) notify(done(result.value));
  };
  const simple = (command: () => Promise<Done>) => () => void attempt(command);
  return [
    ...places.map((place, index) => ({
      id: place,
      label: t('palette.goTo', { page: t(`navigation.${place}`) }),
      icon: placeIcons[place],
      keys: String(index + 1),
      run: () => goTo(place),
    })),
    { id: 'check', label: t('license.checkNow'), icon: RefreshCw, run: simple(() => bridge.syncNow()) },
    { id: 'doctor', label: t('doctor.title'), icon: Stethoscope, run: () => showDoctor(true) },
    {
      id: 'choose',
      label: t('installer.choose'),
      icon: ScanSearch,
      run: () => {
        goTo('installer');
        void attempt(() => bridge.chooseInstaller());
      },
    },
    ...(canExport
      ? [
          {
            id: 'export',
            label: t('activity.export'),
            icon: FileDown,
            run: () =>
              void attempt(
                () => bridge.exportHistory(),
                ({ path }) => t('activity.exported', { path }),
              ),
          },
        ]
      : []),
    ...themes.map(([theme, key, icon]) => ({
      id: `theme-${theme}`,
      label: t('palette.theme', { theme: t(`settings.${key}`) }),
      icon,
      run: simple(() => bridge.changeSettings({ theme })),
    })),
    ...(hasHelp
      ? [
          {
            id: 'help',
            label: t('settings.help'),
            icon: CircleHelp,
            run: simple(() => bridge.openLink({ name: 'help' })),
          },
        ]
      : []),
    {
      id: 'sign-out',
      label: t('account.signOut'),
      icon: LogOut,
      run: simple(() => bridge.signOut({ allDevices: false })),
    },
  ];
}
