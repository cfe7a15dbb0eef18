/** The messages of the window, in each of its languages. */
import type { Messages } from './locales/en.ts';
import { createMessageLoader, type LoadedMessages, useSharedMessages } from './shared-messages.ts';
import type { Translate as TranslateOf } from './translate.ts';

export type Translate = TranslateOf<Messages>;

export const windowMessages = createMessageLoader<Messages>({
  en: async () => (await import('./locales/en.ts')).en,
  de: async () => (await import('./locales/de.ts')).de,
  ja: async () => (await import('./locales/ja.ts')).ja,
});

/** The messages of the language that the window shows. Use it below `MessagesProvider`. */
export function useMessages(): LoadedMessages<Messages> {
  // All of the window is below a provider of the window's own messages.
  return useSharedMessages() as LoadedMessages<Messages>;
}
