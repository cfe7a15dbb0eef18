/** The features screen: what plans can switch on and off, with dialogs to add custom features. */
import { Plus } from 'lucide-react';
import { useId, useState } from 'react';
import type { FeatureRecord } from '../../../../shared/api/admin/features.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Page, Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { planName } from '../../../i18n/format.ts';
import { failureOf, useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { useMay } from '../../session/session-store.ts';
import { FeatureDialog } from './FeatureDialog.tsx';
import { textIn } from './feature-records.ts';
import { RemoveFeatureDialog } from './RemoveFeatureDialog.tsx';

type FeatureAct = { readonly kind: 'add' } | { readonly kind: 'change' | 'remove'; readonly feature: FeatureRecord };

export function Features() {
  const { t } = useMessages();
  const mayChange = useMay('setFeature');
  const result = useRead('featureRecords');
  const plans = useRead('plans').data?.plans ?? [];
  const [act, setAct] = useState<FeatureAct | null>(null);
  const failure = failureOf(result);
  const takenNames = result.data?.features.map(({ name }) => name) ?? [];
  const plansWith = ({ name }: FeatureRecord) => plans.filter(({ features }) => features[name] === true);
  return (
    <Page
      title={t('navigation.features')}
      intro={t('featureSettings.intro')}
      aside={
        mayChange && (
          <ActionButton icon={Plus} onPress={() => setAct({ kind: 'add' })}>
            {t('featureSettings.add')}
          </ActionButton>
        )
      }
    >
      <Panel title={t('featureSettings.list')}>
        {failure !== null && <ReadFailure failure={failure} />}
        {failure === null && result.data === undefined && <Skeleton lines={8} />}
        <ul className="record-list" aria-label={t('navigation.features')}>
          {result.data?.features.map((feature) => (
            <FeatureItem
              key={feature.name}
              feature={feature}
              plans={plansWith(feature).map(({ name }) => planName(name, t))}
              onAct={mayChange ? setAct : null}
            />
          ))}
        </ul>
        {!mayChange && <p className="hint panel-more">{t('featureSettings.ownersOnly')}</p>}
      </Panel>
      {act?.kind === 'add' && <FeatureDialog feature={null} takenNames={takenNames} onClose={() => setAct(null)} />}
      {act?.kind === 'change' && (
        <FeatureDialog feature={act.feature} takenNames={takenNames} onClose={() => setAct(null)} />
      )}
      {act?.kind === 'remove' && (
        <RemoveFeatureDialog
          name={act.feature.name}
          plans={plansWith(act.feature).map(({ name }) => planName(name, t))}
          onClose={() => setAct(null)}
        />
      )}
    </Page>
  );
}

type FeatureItemProps = {
  readonly feature: FeatureRecord;
  /** Plans that include the feature. */
  readonly plans: readonly string[];
  readonly onAct: ((act: FeatureAct) => void) | null;
};

function FeatureItem({ feature, plans, onAct }: FeatureItemProps) {
  const { t, language } = useMessages();
  const title = textIn(feature.title, language);
  const titleId = useId();
  return (
    <li className="record-item" aria-label={title}>
      <div className="record-item-text">
        <p className="wrap-anywhere">
          <span id={titleId}>{title}</span> <code className="mono">{feature.name}</code>{' '}
          {feature.hidden && <span className="badge badge-unknown">{t('featureSettings.hidden')}</span>}
        </p>{' '}
        <p className="hint">
          {textIn(feature.does, language)}{' '}
          {plans.length > 0 ? t('featureSettings.inPlans', { plans: plans.join(', ') }) : t('featureSettings.inNoPlan')}
        </p>
      </div>{' '}
      {onAct !== null && (
        <div className="record-item-actions">
          <ActionButton describedBy={titleId} onPress={() => onAct({ kind: 'change', feature })}>
            {t('featureSettings.change')}
          </ActionButton>
          {!feature.built_in && (
            <ActionButton describedBy={titleId} onPress={() => onAct({ kind: 'remove', feature })}>
              {t('featureSettings.remove')}
            </ActionButton>
          )}
        </div>
      )}
    </li>
  );
}
