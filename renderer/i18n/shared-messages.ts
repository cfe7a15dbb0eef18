/**
 * Language support shared by the window and the admin page: how messages are loaded, and how components access them.
 */
import { createContext, useContext } from 'react';
import { type Language, resolveLanguage } from '../../shared/ipc/language.ts';
import type { SharedMessages } from './locales/shared-en.ts';
import { createTranslate, type Translate as TranslateOf, type Tree } from './translate.ts';

/** Translates the messages that both pages have. */
export type SharedTranslate = TranslateOf<SharedMessages>;

export type LoadedMessages<Messages = SharedMessages> = {
  readonly language: Language;
  readonly t: TranslateOf<Messages>;
  /** Locale for `Intl`. */
  readonly locale: string;
};

export type MessageLoader<Messages = SharedMessages> = {
  /** Returns the messages of a language; `null` until `load` has resolved. */
  readonly loaded: (language: Language, system?: string) => LoadedMessages<Messages> | null;
  /** Loads the messages of a language once. `system`: the system's locale. */
  readonly load: (language: Language, system?: string) => Promise<LoadedMessages<Messages>>;
  /** Returns what was loaded last, for when another language cannot be loaded. */
  readonly latest: () => LoadedMessages<Messages> | null;
};

/** Creates a loader. `locales` imports one file per language, so that a page loads only the language that it shows. */
export function createMessageLoader<Messages extends SharedMessages & Tree>(
  locales: Readonly<Record<Language, () => Promise<Messages>>>,
): MessageLoader<Messages> {
  const byKey = new Map<string, LoadedMessages<Messages>>();
  let latest: LoadedMessages<Messages> | null = null;
  const keyOf = (language: Language, system?: string) => `${language} ${formatLocale(language, system)}`;
  return {
    loaded: (language, system) => byKey.get(keyOf(language, system)) ?? null,
    load: async (language, system) => {
      const key = keyOf(language, system);
      const create = async () => {
        const t = createTranslate(language, await locales[language]());
        return { language, t, locale: formatLocale(language, system) };
      };
      latest = byKey.get(key) ?? (await create());
      byKey.set(key, latest);
      return latest;
    },
    latest: () => latest,
  };
}

/** Each language's own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ja: '日本語' };

/** Returns the language for a setting; `system` means that of this system by default. */
export function languageFor(setting: Language | 'system', system: string = systemLocale()): Language {
  return resolveLanguage(setting, system);
}

/** Returns the locale for dates and numbers: the system's own if it matches the language. */
export function formatLocale(language: string, system: string = systemLocale()): string {
  if (system.toLowerCase().startsWith(language)) return system;
  return language === 'en' ? 'en-GB' : language;
}

/** Returns the locale of the system, as a BCP 47 tag. */
export function systemLocale(): string {
  return typeof navigator === 'undefined' ? 'en-GB' : navigator.language;
}

export const MessagesContext = createContext<LoadedMessages | null>(null);

/** Returns the messages that both pages have, in the current language. Use it below `MessagesProvider`. */
export function useSharedMessages(): LoadedMessages {
  const messages = useContext(MessagesContext);
  if (messages === null) throw new Error('messages were used outside of MessagesProvider');
  return messages;
}
