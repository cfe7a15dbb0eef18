/** The sentences of the window: starts i18next and follows the chosen language. */
import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Settings } from '../../shared/ipc/settings.ts';
import { de } from './locales/de.ts';
import { en, type Messages } from './locales/en.ts';
import { ja } from './locales/ja.ts';

export const languages = ['en', 'de', 'ja'] as const;
export type Language = (typeof languages)[number];

/** Each language by its own name, as a person looks for it. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ja: '日本語' };

export const locales: Readonly<Record<Language, Messages>> = { en, de, ja };

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Messages };
  }
}

/** The instance that the window uses; tests make their own state of it by `startSentences`. */
export const sentences: i18n = createInstance();

/** Loads all languages at once: they are small, and a switch is then immediate. */
export async function startSentences(language: Language = languageFor('system')): Promise<void> {
  await sentences.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en }, de: { translation: de }, ja: { translation: ja } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
}

/** The language to show for a setting; a system in another language reads English. */
export function languageFor(setting: Settings['language'], system: string = systemLocale()): Language {
  if (setting !== 'system') return setting;
  return languages.find((language) => system.toLowerCase().startsWith(language)) ?? 'en';
}

/** How dates and numbers are written: as the system does where it speaks the shown language. */
export function formatLocale(language: string, system: string = systemLocale()): string {
  if (system.toLowerCase().startsWith(language)) return system;
  return language === 'en' ? 'en-GB' : language;
}

function systemLocale(): string {
  return typeof navigator === 'undefined' ? 'en-GB' : navigator.language;
}
