/** Languages and messages of the window: sets up i18next and gives components their translations. */
import { createInstance, type i18n as I18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { type Language, resolveLanguage } from '../../shared/ipc/language.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { de } from './locales/de.ts';
import { en, type Messages } from './locales/en.ts';
import { ja } from './locales/ja.ts';

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ja: '日本語' };

export const locales: Readonly<Record<Language, Messages>> = { en, de, ja };

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Messages };
  }
}

/** The window's i18next instance; call `initMessages` before it is used. */
export const i18n: I18n = createInstance();

/** Loads all languages, which are small, so that switching is immediate. */
export async function initMessages(language: Language = languageFor('system')): Promise<void> {
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en }, de: { translation: de }, ja: { translation: ja } },
    interpolation: { escapeValue: false },
    returnNull: false,
  });
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

export type Translate = TFunction;

/** `t` translates, `locale` is for `Intl`. */
export function useMessages(): { readonly t: Translate; readonly locale: string } {
  const { t, i18n: current } = useTranslation();
  return { t, locale: formatLocale(current.language) };
}
