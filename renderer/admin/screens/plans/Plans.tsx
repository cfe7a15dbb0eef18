/** The plans screen: what each plan includes, and how to change that. */
import { Check, Layers, Minus, Plus } from 'lucide-react';
import { useState } from 'react';
import type { PlanRecord } from '../../../../shared/api/admin/plans.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Page, Panel } from '../../../components/Page.tsx';
import { EmptyState, Skeleton } from '../../../components/Placeholders.tsx';
import { planName } from '../../../i18n/format.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { useMay } from '../../session/session-store.ts';
import { flagsOf } from './feature-flags.ts';
import { PlanDialog } from './PlanDialog.tsx';

export function Plans() {
  const { t } = useMessages();
  const mayChange = useMay('setPlan');
  const [edited, setEdited] = useState<PlanRecord | 'new' | null>(null);
  const result = useRead('plans');
  const failure = failureOf(result);
  const template = result.data?.plans[0]?.features;
  return (
    <Page
      title={t('navigation.plans')}
      intro={t('planSettings.intro')}
      aside={
        mayChange &&
        template !== undefined && (
          <ActionButton icon={Plus} onPress={() => setEdited('new')}>
            {t('planSettings.add')}
          </ActionButton>
        )
      }
    >
      {failure !== null && <FailureAlert failure={failure} />}
      {failure === null && result.data === undefined && <Skeleton lines={12} />}
      {result.data?.plans.length === 0 && <EmptyState icon={Layers} title={t('planSettings.empty')} />}
      <div className="plan-grid">
        {result.data?.plans.map((plan) => (
          <PlanPanel key={plan.id} plan={plan} onEdit={mayChange ? () => setEdited(plan) : null} />
        ))}
      </div>
      {edited !== null && template !== undefined && (
        <PlanDialog plan={edited === 'new' ? null : edited} template={template} onClose={() => setEdited(null)} />
      )}
    </Page>
  );
}

type PlanPanelProps = { readonly plan: PlanRecord; readonly onEdit: (() => void) | null };

function PlanPanel({ plan, onEdit }: PlanPanelProps) {
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
      <ul className="plan-features" aria-label={t('planSettings.features', { name })}>
        {flagsOf(plan.features).map((flag) => (
          <li key={flag} className={plan.features[flag] ? undefined : 'plan-feature-off'}>
            {plan.features[flag] ? (
              <Check className="icon icon-small" aria-hidden />
            ) : (
              <Minus className="icon icon-small" aria-hidden />
            )}
            {t(`feature.${flag}.name`)}
            <span className="visually-hidden">: {t(plan.features[flag] ? 'planSettings.on' : 'planSettings.off')}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
