/** Languages of the window, tray, menu and notifications. Without zod, since the window bundles it. */

export const languages = ['en', 'de', 'ja'] as const;
export type Language = (typeof languages)[number];

/** Returns the language for the setting; unavailable system languages become English. */
export function resolveLanguage(setting: Language | 'system', systemLocale: string): Language {
  if (setting !== 'system') return setting;
  return languages.find((language) => systemLocale.toLowerCase().startsWith(language)) ?? 'en';
}
