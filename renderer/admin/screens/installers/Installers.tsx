/**
 * The installers screen: what is published and offered as an update, and publishing and withdrawing versions for
 * owners.
 */
import { Page } from '../../../components/Page.tsx';
import { EmptyState, Skeleton } from '../../../components/Placeholders.tsx';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { placeIcons } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { PublishedPanel } from './PublishedPanel.tsx';
import { PublishPanel } from './PublishPanel.tsx';
import { UpdateFeedPanel } from './UpdateFeedPanel.tsx';

export function Installers() {
  const { t } = useMessages();
  const mayPublish = useMay('publishInstallers');
  const result = useRead('installers');
  const failure = failureOf(result);
  const installers = result.data?.installers;
  return (
    <Page title={t('navigation.installers')} intro={t('installers.intro')}>
      {!mayPublish && <p className="hint">{t('installers.ownersOnly')}</p>}
      {failure !== null && <ReadFailure failure={failure} />}
      {failure === null && result.data === undefined && <Skeleton lines={8} />}
      {installers === null && (
        <EmptyState icon={placeIcons.installers} title={t('installers.empty')} hint={t('installers.emptyHint')} />
      )}
      {installers && <PublishedPanel installers={installers} />}
      <UpdateFeedPanel />
      {mayPublish && result.data !== undefined && <PublishPanel published={installers ?? null} />}
    </Page>
  );
}
