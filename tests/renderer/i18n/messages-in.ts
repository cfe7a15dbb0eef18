/** The window's messages in one language, for unit tests. */
import { i18n, initMessages, type Translate } from '../../../renderer/i18n/messages.ts';
import type { Language } from '../../../shared/ipc/language.ts';

export async function messagesIn(language: Language): Promise<Translate> {
  await initMessages(language);
  return i18n.getFixedT(language);
}
