/** Theme and language settings, in the window's settings and the staff profile. */
import { languages } from '../../shared/ipc/language.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { languageNames, useSharedMessages } from '../i18n/shared-messages.ts';
import { Panel } from './Page.tsx';
import { SettingSelect } from './SettingControls.tsx';

type Appearance = Pick<Settings, 'theme' | 'language'>;

type Props = Appearance & { readonly onChange: (change: Partial<Appearance>) => void };

export function AppearancePanel({ theme, language, onChange }: Props) {
  const { t } = useSharedMessages();
  return (
    <Panel title={t('appearance.appearance')}>
      <SettingSelect
        label={t('appearance.theme')}
        value={theme}
        onChange={(next) => onChange({ theme: next })}
        options={[
          { id: 'system', name: t('appearance.themeSystem') },
          { id: 'light', name: t('appearance.themeLight') },
          { id: 'dark', name: t('appearance.themeDark') },
        ]}
      />
      <SettingSelect
        id="setting-language"
        label={t('appearance.language')}
        value={language}
        onChange={(next) => onChange({ language: next })}
        options={[
          { id: 'system', name: t('appearance.languageSystem') },
          ...languages.map((id) => ({ id, name: languageNames[id], lang: id })),
        ]}
      />
    </Panel>
  );
}
