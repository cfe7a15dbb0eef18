/** The profile screen: password, passkeys, sessions, and the page's appearance in this browser. */
import { AppearancePanel } from '../../../components/AppearancePanel.tsx';
import { Page } from '../../../components/Page.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { changePreferences, usePreferences } from '../../preferences.ts';
import { useStaffSession } from '../../session/session-store.ts';
import { OwnPassword } from './OwnPassword.tsx';
import { OwnSessions } from './OwnSessions.tsx';
import { Passkeys } from './Passkeys.tsx';

export function Profile() {
  const { t } = useMessages();
  const { staff, has_password } = useStaffSession();
  const { email, role } = staff;
  const { theme, language } = usePreferences();
  return (
    <Page title={t('navigation.profile')} intro={`${email} · ${t(`role.${role}.name`)}: ${t(`role.${role}.does`)}`}>
      {has_password && <OwnPassword />}
      <Passkeys />
      <OwnSessions />
      <AppearancePanel theme={theme} language={language} onChange={changePreferences} />
    </Page>
  );
}
