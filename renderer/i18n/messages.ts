/** Messages of the window in each of its languages. */
import type { Messages } from './locales/en.ts';
import { createMessageLoader, type LoadedMessages, useSharedMessages } from './shared-messages.ts';
import type { Translate as TranslateOf } from './translate.ts';

export type Translate = TranslateOf<Messages>;

export const windowMessages = createMessageLoader<Messages>({
  en: async () => (await import('./locales/en.ts')).en,
  de: async () => (await import('./locales/de.ts')).de,
  ja: async () => (await import('./locales/ja.ts')).ja,
});

/** Returns the messages in the window's current language. Use it below `MessagesProvider`. */
export function useMessages(): LoadedMessages<Messages> {
  // The whole window is rendered below a provider with its own messages.
  return useSharedMessages() as LoadedMessages<Messages>;
}
