/** The features screen: what each feature does, and whether and why it is on. */
import { useId } from 'react';
import type { FeatureState } from '../../shared/ipc/app-state.ts';
import { ToneIcon } from '../components/Banner.tsx';
import { Page } from '../components/Page.tsx';
import { featureOffMessage } from '../i18n/feature-message.ts';
import { useMessages } from '../i18n/messages.ts';
import { explain, useApp } from '../store.ts';
import { PlansButton, useFeatureText, useVisibleFeatures } from './FeaturesPanel.tsx';

export function Features() {
  const { t } = useMessages();
  const features = useVisibleFeatures();
  const upgradable = features.some((feature) => !feature.on && feature.reason.kind === 'plan');
  return (
    <Page title={t('features.label')} intro={t('features.intro')} aside={upgradable && <PlansButton />}>
      <ul className="features" aria-label={t('features.label')}>
        {features.map((feature) => (
          <FeatureItem key={feature.feature} state={feature} />
        ))}
      </ul>
    </Page>
  );
}

function FeatureItem({ state }: { readonly state: FeatureState }) {
  const { t } = useMessages();
  const { title, does } = useFeatureText(state.feature);
  const leaseProblem = useApp((app) => app.lease.problem);
  const nameId = useId();
  const stateId = useId();
  return (
    <li className={state.on ? 'feature' : 'feature feature-off'} aria-labelledby={nameId} aria-describedby={stateId}>
      <div>
        <h2 id={nameId}>{title}</h2> <p className="feature-description">{does}</p>
      </div>{' '}
      <div className="feature-state" id={stateId}>
        <span className={`badge badge-${state.on ? 'good' : 'unknown'}`}>
          {state.on && <ToneIcon tone="good" />}
          {state.on ? t('features.on') : t('features.off')}
        </span>{' '}
        {!state.on && <p className="feature-reason">{featureOffMessage(state.reason, leaseProblem, t)}</p>}
      </div>{' '}
      <button
        type="button"
        className="link feature-why"
        aria-labelledby={`${nameId}-why ${nameId}`}
        onClick={() => explain(state.feature)}
      >
        <span id={`${nameId}-why`}>{t('why.button')}</span>
      </button>
    </li>
  );
}
