/** The admin page's command palette: every screen and every currently available action, by name. */
import {
  FileKey2,
  FilePlus2,
  Languages,
  LogOut,
  type LucideIcon,
  Moon,
  ShieldUser,
  Sun,
  SunMoon,
  UserPlus,
  UserRoundCog,
} from 'lucide-react';
import { languages } from '../../../shared/ipc/language.ts';
import { CommandPalette, type PaletteCommand } from '../../components/CommandPalette.tsx';
import { textWithMod } from '../../components/shortcut-text.ts';
import { languageNames } from '../../i18n/shared-messages.ts';
import { useMessages } from '../i18n/messages.ts';
import { changePreferences, type Theme } from '../preferences.ts';
import { goTo, placeIcons, places } from '../routing.ts';
import { useMay } from '../session/session-store.ts';
import { useSignOut } from '../session/use-sign-out.ts';
import { showPalette, usePalette } from './palette-store.ts';

export function AdminPalette() {
  const isOpen = usePalette((state) => state.isOpen);
  return isOpen ? <OpenPalette /> : null;
}

function OpenPalette() {
  return <CommandPalette commands={useCommands()} onClose={() => showPalette(false)} />;
}

/** Returns the screens, followed by all currently available actions. */
function useCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  const signOut = useSignOut();
  const screenCommands = useScreenCommands();
  const appearance = useAppearanceCommands();
  const mayIssue = useMay('issueLicense');
  const maySign = useMay('signLease');
  const mayCreate = useMay('createAccount');
  const issue: PaletteCommand = {
    id: 'issue',
    label: t('licenses.issue'),
    icon: FilePlus2,
    run: () => goTo('licenses', { new: '1' }),
  };
  const sign: PaletteCommand = {
    id: 'sign-lease',
    label: t('lease.sign'),
    icon: FileKey2,
    run: () => goTo('devices', { new: '1' }),
  };
  const create: PaletteCommand = {
    id: 'create',
    label: t('accounts.create'),
    icon: UserPlus,
    run: () => goTo('accounts', { new: '1' }),
  };
  return [
    ...screenCommands,
    ...(mayIssue ? [issue] : []),
    ...(maySign ? [sign] : []),
    ...(mayCreate ? [create] : []),
    ...appearance,
    { id: 'sign-out', label: t('session.signOut'), icon: LogOut, run: () => void signOut() },
  ];
}

function useScreenCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  const goToLabel = (page: string) => t('palette.goTo', { page });
  return [
    ...places.map((place, index) => ({
      id: place,
      label: goToLabel(t(`navigation.${place}`)),
      icon: placeIcons[place],
      // Only the ten digits serve as shortcuts.
      ...(index < 10 && { keys: textWithMod(String((index + 1) % 10), t) }),
      run: () => goTo(place),
    })),
    { id: 'profile', label: goToLabel(t('navigation.profile')), icon: UserRoundCog, run: () => goTo('profile') },
    { id: 'staff', label: goToLabel(t('navigation.staff')), icon: ShieldUser, run: () => goTo('staff') },
  ];
}

const themes: readonly (readonly [Theme, 'themeSystem' | 'themeLight' | 'themeDark', LucideIcon])[] = [
  ['system', 'themeSystem', SunMoon],
  ['light', 'themeLight', Sun],
  ['dark', 'themeDark', Moon],
];

function useAppearanceCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  return [
    ...themes.map(([theme, key, icon]) => ({
      id: `theme-${theme}`,
      label: t('palette.theme', { theme: t(`appearance.${key}`) }),
      icon,
      run: () => changePreferences({ theme }),
    })),
    ...languages.map((language) => ({
      id: `language-${language}`,
      label: t('palette.language', { language: languageNames[language] }),
      icon: Languages,
      run: () => changePreferences({ language }),
    })),
  ];
}
