/** The overview's features panel, with shared helpers for visible features and the plans page. */
import { Check, ExternalLink, Minus } from 'lucide-react';
import type { ReactNode } from 'react';
import type { FeatureState } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Panel } from '../components/Page.tsx';
import { Skeleton } from '../components/Placeholders.tsx';
import { featureOffMessage } from '../i18n/feature-message.ts';
import { featureTextOf, type ShownText } from '../i18n/feature-text.ts';
import { planName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useOpenPlans } from '../open-plans.ts';
import { isAccountPage, useApp } from '../store.ts';

/** Shows which features are on. */
export function FeaturesPanel({ aside }: { readonly aside?: ReactNode }) {
  const { t } = useMessages();
  const features = useVisibleFeatures();
  const onPage = useApp(isAccountPage);
  const loading = useApp((app) => app.license.kind === 'unknown' && app.syncing);
  const on = features.filter((feature) => feature.on).length;
  return (
    <Panel title={t('overview.features')} aside={aside}>
      {loading ? (
        <Skeleton lines={features.length} />
      ) : (
        <>
          <p className="panel-intro tabular">
            {t(onPage ? 'accountPage.featureCount' : 'features.count', { on, all: features.length })}
          </p>
          <ul className="feature-list" aria-label={t('features.label')}>
            {features.map((feature) => (
              <FeatureSummaryItem key={feature.feature} state={feature} />
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

function FeatureSummaryItem({ state }: { readonly state: FeatureState }) {
  const { t } = useMessages();
  const { title: name } = useFeatureText(state.feature);
  const leaseProblem = useApp((app) => app.lease.problem);
  if (state.on) {
    return (
      <li className="feature-list-item" aria-label={name}>
        <Check className="icon tone-good" aria-hidden />
        <span>{name}</span> <span className="visually-hidden">{t('features.on')}</span>
      </li>
    );
  }
  const { reason } = state;
  return (
    <li className="feature-list-item feature-list-off" aria-label={name}>
      <Minus className="icon" aria-hidden />
      <span>{name}</span> <span className="visually-hidden">{t('features.off')}</span>{' '}
      {reason.kind === 'plan' && reason.availableOn !== null ? (
        <span className="feature-list-reason">
          {t('features.includedInShort', { available: planName(reason.availableOn, t) })}
        </span>
      ) : (
        <span className="visually-hidden">{featureOffMessage(reason, leaseProblem, t)}</span>
      )}
    </li>
  );
}

/** Returns the features that the server does not hide. */
export function useVisibleFeatures(): readonly FeatureState[] {
  const features = useApp((app) => app.features);
  const texts = useApp((app) => app.featureTexts);
  const hidden = texts?.filter((feature) => feature.hidden).map(({ name }) => name) ?? [];
  return features.filter(({ feature }) => !hidden.includes(feature));
}

export function useFeatureText(name: string): ShownText {
  return useFeatureTexts()(name);
}

/** Returns a function that returns the texts of a feature. */
export function useFeatureTexts(): (name: string) => ShownText {
  const { language } = useMessages();
  const featureTexts = useApp((app) => app.featureTexts);
  const featureTextsLanguage = useApp((app) => app.featureTextsLanguage);
  return (name) => featureTextOf(name, { featureTexts, featureTextsLanguage }, language);
}

/** Opens the page about plans; without one, says whom to contact. */
export function PlansButton() {
  const { t } = useMessages();
  const openPlans = useOpenPlans();
  const hasPage = useApp((app) => app.app.links.includes('plans'));
  if (!hasPage) return <p className="hint">{t('features.askForPlan')}</p>;
  return (
    <ActionButton icon={ExternalLink} onPress={openPlans}>
      {t('license.seePlans')}
    </ActionButton>
  );
}
