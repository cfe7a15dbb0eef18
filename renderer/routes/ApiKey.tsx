/** The API key screen: the account's key, and the scan for leaked keys. */
import { Page } from '../components/Page.tsx';
import { useMessages } from '../i18n/messages.ts';
import { ApiKeyPanels } from './ApiKeyPanels.tsx';
import { LeakedKeys } from './LeakedKeys.tsx';

export function ApiKey() {
  const { t } = useMessages();
  return (
    <Page title={t('navigation.apiKey')} intro={t('apiKey.intro')}>
      <ApiKeyPanels />
      <LeakedKeys />
    </Page>
  );
}
