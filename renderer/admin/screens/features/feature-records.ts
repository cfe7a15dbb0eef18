/** Helpers for feature records on the admin page. */
import type { LocalizedText } from '../../../../shared/formats/localized-text.ts';
import { failureOf, useRead } from '../../api/queries.ts';

/** Returns the text in the language, or in English if it is missing. */
export function textIn(text: LocalizedText, language: string): string {
  return text[language] || text.en;
}

/** Returns the features that are not hidden, `undefined` until they have loaded, and why they cannot be read. */
export function useVisibleFeatures() {
  const result = useRead('featureRecords');
  return { features: result.data?.features.filter(({ hidden }) => !hidden), failure: failureOf(result) };
}
