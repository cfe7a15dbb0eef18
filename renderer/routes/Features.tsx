/** Each feature: what it does, whether it is on, and why not. */
import { useId } from 'react';
import type { FeatureState } from '../../shared/ipc/app-state.ts';
import { Page } from '../components/Page.tsx';
import { PlansWay } from '../components/PlansWay.tsx';
import { ToneIcon } from '../components/ToneIcon.tsx';
import { offReason } from '../i18n/feature-sentence.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';

export function Features() {
  const { t } = useSentences();
  const features = useApp((app) => app.features);
  const lacking = features.some((feature) => !feature.on && feature.reason.kind === 'plan');
  return (
    <Page title={t('features.label')} intro={t('features.intro')} aside={lacking && <PlansWay />}>
      <ul className="features" aria-label={t('features.label')}>
        {features.map((feature) => (
          <FeatureItem key={feature.feature} state={feature} />
        ))}
      </ul>
    </Page>
  );
}

function FeatureItem({ state }: { readonly state: FeatureState }) {
  const { t } = useSentences();
  const nameId = useId();
  const stateId = useId();
  return (
    <li className={state.on ? 'feature' : 'feature feature-off'} aria-labelledby={nameId} aria-describedby={stateId}>
      <div className="feature-words">
        <h2 id={nameId}>{t(`feature.${state.feature}.name`)}</h2>{' '}
        <p className="feature-does">{t(`feature.${state.feature}.does`)}</p>
      </div>{' '}
      <div className="feature-state" id={stateId}>
        <span className={`badge badge-${state.on ? 'good' : 'unknown'}`}>
          {state.on && <ToneIcon tone="good" />}
          {state.on ? t('features.on') : t('features.off')}
        </span>{' '}
        {!state.on && <p className="feature-reason">{offReason(state.reason, t)}</p>}
      </div>
    </li>
  );
}
