/** The signed-in account page: one column of panels shared with the window. */
import { useEffect, useId } from 'react';
import { bridge } from '../account-bridge.ts';
import { AppearancePanel } from '../components/AppearancePanel.tsx';
import { Brand } from '../components/Brand.tsx';
import { useMessages } from '../i18n/messages.ts';
import { UserMenu } from '../layout/UserMenu.tsx';
import { AccountDetails } from '../routes/AccountPanels.tsx';
import { ApiKeyPanels } from '../routes/ApiKeyPanels.tsx';
import { DeviceDetails } from '../routes/DeviceDetails.tsx';
import { DeviceList } from '../routes/DeviceList.tsx';
import { FeaturesPanel } from '../routes/FeaturesPanel.tsx';
import { KeyReplacementDialog } from '../routes/KeyReplacementDialog.tsx';
import { LicenseKeyPanel } from '../routes/LicenseKeyPanel.tsx';
import { SecurityPanels } from '../routes/SecurityPanels.tsx';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';

export function AccountLayout() {
  const { t } = useMessages();
  const { theme, language } = useApp((app) => app.settings);
  useEffect(() => {
    document.title = `${t('account.title')} · ${t('name')}`;
    return () => {
      document.title = t('name');
    };
  }, [t]);
  return (
    <div className="account-page">
      <header className="account-header">
        <Brand />
        <UserMenu placement="below" />
      </header>
      {/* Scrollable, so it must be focusable by keyboard even if nothing in it is. */}
      <main id="content" className="content" tabIndex={0}>
        <div className="page">
          <h1>{t('accountPage.title')}</h1>
          <AccountDetails />
          <DeviceList />
          <LicenseKeyPanel />
          <FeaturesPanel />
          <ApiKeySection />
          <SecurityPanels />
          <AppearancePanel
            theme={theme}
            language={language}
            onChange={(change) => void runCommand(() => bridge.changeSettings(change))}
          />
        </div>
      </main>
      <DeviceDetails />
      <KeyReplacementDialog />
    </div>
  );
}

function ApiKeySection() {
  const { t } = useMessages();
  const id = useId();
  return (
    <section className="account-section" aria-labelledby={id}>
      <div>
        <h2 id={id}>{t('navigation.apiKey')}</h2>
        <p className="page-intro">{t('apiKey.intro')}</p>
      </div>
      <ApiKeyPanels />
    </section>
  );
}
