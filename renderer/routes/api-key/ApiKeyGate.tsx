/** Stands in for the key where the plan or the license gives no API access. */
import { Lock } from 'lucide-react';
import type { FeatureOffReason } from '../../../shared/ipc/app-state.ts';
import { Empty } from '../../components/Empty.tsx';
import { PlansWay } from '../../components/PlansWay.tsx';
import { offReason } from '../../i18n/feature-sentence.ts';
import { useSentences } from '../../i18n/use-sentences.ts';

export function ApiKeyGate({ reason }: { readonly reason: FeatureOffReason }) {
  const { t } = useSentences();
  return (
    <div className="panel">
      <Empty icon={Lock} title={t('apiKey.gateTitle')} hint={offReason(reason, t)}>
        {reason.kind === 'plan' && <PlansWay />}
      </Empty>
    </div>
  );
}
