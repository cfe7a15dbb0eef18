/** Helpers for feature records on the admin page. */
import type { FeatureRecord } from '../../../../shared/api/admin/features.ts';
import type { LocalizedText } from '../../../../shared/formats/localized-text.ts';
import { useRead } from '../../api/queries.ts';

/** Returns the text in the language, or in English if it is missing. */
export function textIn(text: LocalizedText, language: string): string {
  return text[language] || text.en;
}

/** Returns the features that are not hidden; `undefined` until they have loaded. */
export function useVisibleFeatures(): readonly FeatureRecord[] | undefined {
  const { data } = useRead('featureRecords');
  return data?.features.filter(({ hidden }) => !hidden);
}
