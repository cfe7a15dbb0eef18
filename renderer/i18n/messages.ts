/** The languages of the window: loads the messages of one, and gives components access to them. */
import { createContext, useContext } from 'react';
import { type Language, resolveLanguage } from '../../shared/ipc/language.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import type { Messages } from './locales/en.ts';
import { createTranslate, type Translate } from './translate.ts';

export type { Translate };

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ja: '日本語' };

/** One file each, so that the window loads only the language that it shows. */
const locales: Readonly<Record<Language, () => Promise<Messages>>> = {
  en: async () => (await import('./locales/en.ts')).en,
  de: async () => (await import('./locales/de.ts')).de,
  ja: async () => (await import('./locales/ja.ts')).ja,
};

export type LoadedMessages = {
  readonly language: Language;
  readonly t: Translate;
  /** For `Intl`. */
  readonly locale: string;
};

const loaded = new Map<Language, LoadedMessages>();

/** The messages of a language; `null` until `loadMessages` has resolved. */
export function loadedMessages(language: Language): LoadedMessages | null {
  return loaded.get(language) ?? null;
}

/** Loads the messages of a language, once. */
export async function loadMessages(language: Language): Promise<LoadedMessages> {
  const known = loaded.get(language);
  if (known !== undefined) return known;
  const t = createTranslate(language, await locales[language]());
  const messages = { language, t, locale: formatLocale(language) };
  loaded.set(language, messages);
  return messages;
}

/** The language for a setting, by default on this system. */
export function languageFor(setting: Settings['language'], system: string = systemLocale()): Language {
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

/** The messages of the language that the window shows. Use it below `MessagesProvider`. */
export function useMessages(): LoadedMessages {
  const messages = useContext(MessagesContext);
  if (messages === null) throw new Error('useMessages was called outside of MessagesProvider');
  return messages;
}
