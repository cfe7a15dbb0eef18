/** Title and description of a feature: the server's own, or the built-in ones if it sends none. */
import type { FeatureText } from '../../shared/api/features.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import { type Language, resolveLanguage } from '../../shared/ipc/language.ts';
import { seededFeatures } from '../../shared/seeded-feature-texts.ts';

export type ShownText = Pick<FeatureText, 'title' | 'does'>;

type SentTexts = Pick<AppState, 'featureTexts' | 'featureTextsLanguage'>;

/**
 * Returns the texts of a feature; an unknown one is titled by its name. After a change of the language, the server's
 * texts are those of the earlier one until it is asked again, so the built-in ones are shown.
 */
export function featureTextOf(name: string, sent: SentTexts, language: Language): ShownText {
  const { featureTexts, featureTextsLanguage: sentIn } = sent;
  const own = featureTexts?.find((feature) => feature.name === name);
  const isOfThisLanguage = !sentIn || resolveLanguage('system', sentIn) === language;
  if (own && isOfThisLanguage) return own;
  const seeded = seededFeatures.find((feature) => feature.name === name);
  if (!seeded) return own ?? { title: name, does: '' };
  return { title: seeded.title[language] ?? seeded.title.en, does: seeded.does[language] ?? seeded.does.en };
}
