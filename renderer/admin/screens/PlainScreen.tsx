/** A screen that has its place in the navigation and nothing to show yet. */
import { Page } from '../../components/Page.tsx';
import { EmptyState } from '../../components/Placeholders.tsx';
import { useMessages } from '../i18n/messages.ts';
import { placeIcons, useAddress } from '../routing.ts';

export function PlainScreen() {
  const { t } = useMessages();
  const { screen } = useAddress();
  const title = t(`navigation.${screen}`);
  return (
    <Page title={title}>
      {screen !== 'profile' && screen !== 'staff' && <EmptyState icon={placeIcons[screen]} title={t('list.nothing')} />}
    </Page>
  );
}
