/** The features at a glance; what each does is a place of its own. */
import { Check, Minus } from 'lucide-react';
import type { FeatureState } from '../../../shared/ipc/app-state.ts';
import { Panel } from '../../components/Panel.tsx';
import { PlaceLink } from '../../components/PlaceLink.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { offReason } from '../../i18n/feature-sentence.ts';
import { planName } from '../../i18n/plan-name.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';

export function FeaturesPanel() {
  const { t } = useSentences();
  const features = useApp((app) => app.features);
  const asking = useApp((app) => app.license.kind === 'unknown' && app.syncing);
  const on = features.filter((feature) => feature.on).length;
  return (
    <Panel title={t('overview.features')} aside={<PlaceLink place="features">{t('overview.seeFeatures')}</PlaceLink>}>
      {asking ? (
        <Skeleton lines={features.length} />
      ) : (
        <>
          <p className="panel-intro tabular">{t('features.count', { on, all: features.length })}</p>
          <ul className="short-list" aria-label={t('features.label')}>
            {features.map((feature) => (
              <ShortFeature key={feature.feature} state={feature} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function ShortFeature({ state }: { readonly state: FeatureState }) {
  const { t } = useSentences();
  const name = t(`feature.${state.feature}.name`);
  if (state.on) {
    return (
      <li className="short-item" aria-label={name}>
        <Check className="icon tone-good" aria-hidden />
        <span>{name}</span> <span className="visually-hidden">{t('features.on')}</span>
      </li>
    );
  }
  const { reason } = state;
  return (
    <li className="short-item short-item-off" aria-label={name}>
      <Minus className="icon" aria-hidden />
      <span>{name}</span> <span className="visually-hidden">{t('features.off')}</span>{' '}
      {reason.kind === 'plan' ? (
        <span className="short-reason">
          {t('features.includedInShort', { available: planName(reason.availableOn, t) })}
        </span>
      ) : (
        <span className="visually-hidden">{offReason(reason, t)}</span>
      )}
    </li>
  );
}
