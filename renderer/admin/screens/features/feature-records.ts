/** The features as the admin page shows them. */
import type { FeatureRecord } from '../../../../shared/api/admin/features.ts';
import type { LocalizedText } from '../../../../shared/formats/localized-text.ts';
import { useRead } from '../../api/queries.ts';

/** The text in the language, or else in English. */
export function textIn(text: LocalizedText, language: string): string {
  return text[language] || text.en;
}

/** Those that are not hidden; `undefined` until they have been read. */
export function useVisibleFeatures(): readonly FeatureRecord[] | undefined {
  const { data } = useRead('featureRecords');
  return data?.features.filter(({ hidden }) => !hidden);
}
