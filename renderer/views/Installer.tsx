/** To come. */
import { Page } from '../components/Page.tsx';
import { useSentences } from '../text/use-sentences.ts';

export function Installer() {
  const { t } = useSentences();
  return <Page title={t('places.installer')}>{null}</Page>;
}
