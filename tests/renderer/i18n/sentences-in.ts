/** The window's sentences in one language, for tests of what is made of them. */
import { type Language, sentences, startSentences } from '../../../renderer/i18n/sentences.ts';
import type { Translate } from '../../../renderer/i18n/use-sentences.ts';

export async function sentencesIn(language: Language): Promise<Translate> {
  await startSentences(language);
  return sentences.getFixedT(language);
}
