/** To come. */
import { Page } from '../components/Page.tsx';
import { useSentences } from '../text/use-sentences.ts';

export function ApiKey() {
  const { t } = useSentences();
  return <Page title={t('places.apiKey')}>{null}</Page>;
}
