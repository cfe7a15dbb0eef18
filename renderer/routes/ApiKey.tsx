/** The account's API key: made once, shown once, replaced with care; gated by a feature. */
import { useState } from 'react';
import { Banner } from '../components/Banner.tsx';
import { Page } from '../components/Page.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp, useStore } from '../store.ts';
import { ApiKeyGate } from './api-key/ApiKeyGate.tsx';
import { FirstKey } from './api-key/FirstKey.tsx';
import { FreshKey } from './api-key/FreshKey.tsx';
import { KnownKey } from './api-key/KnownKey.tsx';

export function ApiKey() {
  const { t } = useSentences();
  const access = useApp((app) => app.features.find(({ feature }) => feature === 'api_access'));
  const known = useApp((app) => app.apiKey);
  const fresh = useStore((store) => store.freshApiKey);
  const [found, setFound] = useState(false);
  const isFresh = fresh !== null || known?.unsaved === true;
  const gated = access !== undefined && !access.on;
  return (
    <Page title={t('navigation.apiKey')} intro={t('apiKey.intro')}>
      {isFresh && <FreshKey apiKey={fresh} />}
      {!isFresh && known !== null && (
        <>
          {found && (
            <Banner tone="unknown" role="status" title={t('apiKey.existing')}>
              {t('apiKey.existingHint')}
            </Banner>
          )}
          <KnownKey apiKey={known} canReplace={!gated} />
        </>
      )}
      {!isFresh && gated && <ApiKeyGate reason={access.reason} />}
      {!isFresh && known === null && !gated && <FirstKey onFound={() => setFound(true)} />}
    </Page>
  );
}
