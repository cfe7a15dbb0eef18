/** The window's sentences in one language, for tests of what is made of them. */
import { type Language, sentences, startSentences } from '../../../renderer/text/sentences.ts';
import type { Translate } from '../../../renderer/text/use-sentences.ts';

export async function sentencesIn(language: Language): Promise<Translate> {
  await startSentences(language);
  return sentences.getFixedT(language);
}
