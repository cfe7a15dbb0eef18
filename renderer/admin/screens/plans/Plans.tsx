/** The plans screen: what each plan includes, with dialogs to change it. */
import { Layers, Plus } from 'lucide-react';
import { useState } from 'react';
import type { FeatureRecord } from '../../../../shared/api/admin/features.ts';
import type { PlanRecord } from '../../../../shared/api/admin/plans.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Page, Panel } from '../../../components/Page.tsx';
import { EmptyState, Skeleton } from '../../../components/Placeholders.tsx';
import { planName } from '../../../i18n/format.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FeatureList } from '../../records/FeatureList.tsx';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { useMay } from '../../session/session-store.ts';
import { useVisibleFeatures } from '../features/feature-records.ts';
import { PlanDialog } from './PlanDialog.tsx';

export function Plans() {
  const { t } = useMessages();
  const mayChange = useMay('setPlan');
  const [edited, setEdited] = useState<PlanRecord | 'new' | null>(null);
  const result = useRead('plans');
  const { features, failure: featuresFailure } = useVisibleFeatures();
  const failure = failureOf(result) ?? featuresFailure;
  return (
    <Page
      title={t('navigation.plans')}
      intro={t('planSettings.intro')}
      aside={
        mayChange &&
        features !== undefined && (
          <ActionButton icon={Plus} onPress={() => setEdited('new')}>
            {t('planSettings.add')}
          </ActionButton>
        )
      }
    >
      {failure !== null && <ReadFailure failure={failure} />}
      {failure === null && result.data === undefined && <Skeleton lines={12} />}
      {result.data?.plans.length === 0 && <EmptyState icon={Layers} title={t('planSettings.empty')} />}
      <div className="plan-grid">
        {result.data?.plans.map((plan) => (
          <PlanPanel
            key={plan.id}
            plan={plan}
            features={features ?? []}
            onEdit={mayChange ? () => setEdited(plan) : null}
          />
        ))}
      </div>
      {edited !== null && features !== undefined && (
        <PlanDialog
          plan={edited === 'new' ? null : edited}
          features={features}
          takenNames={result.data?.plans.map(({ name }) => name) ?? []}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  );
}

type PlanPanelProps = {
  readonly plan: PlanRecord;
  /** Visible features. */
  readonly features: readonly FeatureRecord[];
  readonly onEdit: (() => void) | null;
};

function PlanPanel({ plan, features, onEdit }: PlanPanelProps) {
  const { t } = useMessages();
  const name = planName(plan.name, t);
  return (
    <Panel
      title={name}
      aside={onEdit !== null && <ActionButton onPress={onEdit}>{t('planSettings.change', { name })}</ActionButton>}
    >
      <p className="hint">
        {t('licenses.limitOf', { count: plan.max_devices })} ·{' '}
        {t('planSettings.newDevices', { count: plan.new_devices_per_month })}
        {plan.lease_days !== null && <> · {t('planSettings.leaseOf', { count: plan.lease_days })}</>}
      </p>
      <FeatureList label={t('planSettings.features', { name })} shown={features} features={plan.features} />
    </Panel>
  );
}
