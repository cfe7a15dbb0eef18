/** The own sign-in: passkeys and sessions, and how this browser shows the page. */
import { languages } from '../../../../shared/ipc/language.ts';
import { Page, Panel } from '../../../components/Page.tsx';
import { SettingSelect } from '../../../components/SettingControls.tsx';
import { languageNames } from '../../../i18n/shared-messages.ts';
import { useMessages } from '../../i18n/messages.ts';
import { changePreferences, usePreferences } from '../../preferences.ts';
import { useStaffSession } from '../../session/session-store.ts';
import { OwnSessions } from './OwnSessions.tsx';
import { Passkeys } from './Passkeys.tsx';

export function Profile() {
  const { t } = useMessages();
  const { email, role } = useStaffSession().staff;
  return (
    <Page title={t('navigation.profile')} intro={`${email} · ${t(`role.${role}.name`)}: ${t(`role.${role}.does`)}`}>
      <Passkeys />
      <OwnSessions />
      <AppearancePanel />
    </Page>
  );
}

function AppearancePanel() {
  const { t } = useMessages();
  const { theme, language } = usePreferences();
  return (
    <Panel title={t('appearance.appearance')}>
      <SettingSelect
        label={t('appearance.theme')}
        value={theme}
        onChange={(next) => changePreferences({ theme: next })}
        options={[
          { id: 'system', name: t('appearance.themeSystem') },
          { id: 'light', name: t('appearance.themeLight') },
          { id: 'dark', name: t('appearance.themeDark') },
        ]}
      />
      <SettingSelect
        label={t('appearance.language')}
        value={language}
        onChange={(next) => changePreferences({ language: next })}
        options={[
          { id: 'system', name: t('appearance.languageSystem') },
          ...languages.map((id) => ({ id, name: languageNames[id], lang: id })),
        ]}
      />
    </Panel>
  );
}
