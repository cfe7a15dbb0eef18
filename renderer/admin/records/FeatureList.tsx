/** The features of a plan: which of them it includes. */
import { Check, Minus } from 'lucide-react';
import type { FeatureRecord } from '../../../shared/api/admin/features.ts';
import type { Features } from '../../../shared/api/features.ts';
import { useMessages } from '../i18n/messages.ts';
import { textIn } from '../screens/features/feature-records.ts';

type FeatureListProps = {
  readonly label: string;
  readonly shown: readonly FeatureRecord[];
  readonly features: Features;
  /** Returns what follows a feature that is not included. */
  readonly noteFor?: (feature: FeatureRecord) => string | undefined;
};

export function FeatureList({ label, shown, features, noteFor }: FeatureListProps) {
  const { t, language } = useMessages();
  return (
    <ul className="plan-features" aria-label={label}>
      {shown.map((feature) => {
        const isIncluded = features[feature.name] === true;
        const Icon = isIncluded ? Check : Minus;
        const note = isIncluded ? undefined : noteFor?.(feature);
        return (
          <li key={feature.name} className={isIncluded ? undefined : 'plan-feature-off'}>
            <Icon className="icon icon-small" aria-hidden />
            {textIn(feature.title, language)}
            <span className="visually-hidden">: {t(isIncluded ? 'planSettings.on' : 'planSettings.off')}</span>
            {note !== undefined && <span className="hint"> {note}</span>}
          </li>
        );
      })}
    </ul>
  );
}
