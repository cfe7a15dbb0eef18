/** The window's messages in one language, for unit tests. */
import { i18n, initMessages, type Language, type Translate } from '../../../renderer/i18n/messages.ts';

export async function messagesIn(language: Language): Promise<Translate> {
  await initMessages(language);
  return i18n.getFixedT(language);
}
