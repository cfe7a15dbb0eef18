/** What the window and the admin page share of their languages: how messages are loaded, and how components reach them. */
import { createContext, useContext } from 'react';
import { type Language, resolveLanguage } from '../../shared/ipc/language.ts';
import type { SharedMessages } from './locales/shared-en.ts';
import { createTranslate, type Translate as TranslateOf, type Tree } from './translate.ts';

/** Finds the messages that both pages have. */
export type SharedTranslate = TranslateOf<SharedMessages>;

export type LoadedMessages<Messages = SharedMessages> = {
  readonly language: Language;
  readonly t: TranslateOf<Messages>;
  /** For `Intl`. */
  readonly locale: string;
};

export type MessageLoader<Messages = SharedMessages> = {
  /** The messages of a language; `null` until `load` has resolved. */
  readonly loaded: (language: Language) => LoadedMessages<Messages> | null;
  /** Loads the messages of a language, once. */
  readonly load: (language: Language) => Promise<LoadedMessages<Messages>>;
};

/** `locales` imports one file for each language, so that a page loads only the language that it shows. */
export function createMessageLoader<Messages extends SharedMessages & Tree>(
  locales: Readonly<Record<Language, () => Promise<Messages>>>,
): MessageLoader<Messages> {
  const byLanguage = new Map<Language, LoadedMessages<Messages>>();
  return {
    loaded: (language) => byLanguage.get(language) ?? null,
    load: async (language) => {
      const known = byLanguage.get(language);
      if (known !== undefined) return known;
      const t = createTranslate(language, await locales[language]());
      const messages = { language, t, locale: formatLocale(language) };
      byLanguage.set(language, messages);
      return messages;
    },
  };
}

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ja: '日本語' };

/** The language for a setting, by default on this system. */
export function languageFor(setting: Language | 'system', system: string = systemLocale()): Language {
  return resolveLanguage(setting, system);
}

/** The locale for dates and numbers: the system's own if it is of the given language. */
export function formatLocale(language: string, system: string = systemLocale()): string {
  if (system.toLowerCase().startsWith(language)) return system;
  return language === 'en' ? 'en-GB' : language;
}

function systemLocale(): string {
  return typeof navigator === 'undefined' ? 'en-GB' : navigator.language;
}

export const MessagesContext = createContext<LoadedMessages | null>(null);

/** The messages that both pages have, in the language that is shown. Use it below `MessagesProvider`. */
export function useSharedMessages(): LoadedMessages {
  const messages = useContext(MessagesContext);
  if (messages === null) throw new Error('messages were used outside of MessagesProvider');
  return messages;
}
