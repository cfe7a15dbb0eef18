/** The own sign-in: passkeys and sessions, and how this browser shows the page. */
import { AppearancePanel } from '../../../components/AppearancePanel.tsx';
import { Page } from '../../../components/Page.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { changePreferences, usePreferences } from '../../preferences.ts';
import { useStaffSession } from '../../session/session-store.ts';
import { OwnSessions } from './OwnSessions.tsx';
import { Passkeys } from './Passkeys.tsx';

export function Profile() {
  const { t } = useMessages();
  const { email, role } = useStaffSession().staff;
  const { theme, language } = usePreferences();
  return (
    <Page title={t('navigation.profile')} intro={`${email} · ${t(`role.${role}.name`)}: ${t(`role.${role}.does`)}`}>
      <Passkeys />
      <OwnSessions />
      <AppearancePanel theme={theme} language={language} onChange={changePreferences} />
    </Page>
  );
}
