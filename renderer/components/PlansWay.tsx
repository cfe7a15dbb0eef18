/** The way to another plan: the page of plans where there is one, else whom to ask. */
import { ExternalLink } from 'lucide-react';
import { ask, bridge } from '../bridge.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';
import { ActButton } from './ActButton.tsx';

export function PlansWay() {
  const { t } = useSentences();
  const hasPage = useApp((app) => app.app.links.includes('plans'));
  if (!hasPage) return <p className="hint">{t('features.askForPlan')}</p>;
  return (
    <ActButton icon={ExternalLink} onPress={() => void ask(() => bridge.openLink({ name: 'plans' }))}>
      {t('license.seePlans')}
    </ActButton>
  );
}
