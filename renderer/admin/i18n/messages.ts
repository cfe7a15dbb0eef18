/** Messages of the admin page in each of its languages. */
import { createMessageLoader, type LoadedMessages, useSharedMessages } from '../../i18n/shared-messages.ts';
import type { Translate as TranslateOf } from '../../i18n/translate.ts';
import type { AdminMessages } from '../locales/en.ts';

export type Translate = TranslateOf<AdminMessages>;

export const adminMessages = createMessageLoader<AdminMessages>({
  en: async () => (await import('../locales/en.ts')).en,
  de: async () => (await import('../locales/de.ts')).de,
  ja: async () => (await import('../locales/ja.ts')).ja,
});

/** Returns the messages in the page's current language. Use it below `MessagesProvider`. */
export function useMessages(): LoadedMessages<AdminMessages> {
  // The whole page is rendered below a provider with its own messages.
  return useSharedMessages() as LoadedMessages<AdminMessages>;
}
