/** Title and description of a feature: the server's own, or the built-in ones if it sends none. */
import type { FeatureText } from '../../shared/api/features.ts';
import type { Language } from '../../shared/ipc/language.ts';
import { seededFeatures } from '../../shared/seeded-feature-texts.ts';

export type ShownText = Pick<FeatureText, 'title' | 'does'>;

/** Returns the texts of a feature; an unknown one is titled by its name. */
export function featureTextOf(name: string, sent: readonly FeatureText[] | null, language: Language): ShownText {
  const own = sent?.find((feature) => feature.name === name);
  if (own) return own;
  const seeded = seededFeatures.find((feature) => feature.name === name);
  if (!seeded) return { title: name, does: '' };
  return { title: seeded.title[language] ?? seeded.title.en, does: seeded.does[language] ?? seeded.does.en };
}
