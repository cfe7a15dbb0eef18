/** The languages of the window, the tray, the menu and the notifications. Without zod, since the window bundles it. */

export const languages = ['en', 'de', 'ja'] as const;
export type Language = (typeof languages)[number];

/** The language to use for the setting; a system language that is not available becomes English. */
export function resolveLanguage(setting: Language | 'system', systemLocale: string): Language {
  if (setting !== 'system') return setting;
  return languages.find((language) => systemLocale.toLowerCase().startsWith(language)) ?? 'en';
}
