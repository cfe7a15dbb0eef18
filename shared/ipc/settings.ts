/** The settings that the user can change in the window. */
import { z } from 'zod';

/** The languages of the window, the tray, the menu and the notifications. */
export const languages = ['en', 'de', 'ja'] as const;
export type Language = (typeof languages)[number];

export const settings = z.object({
  /** Seconds between heartbeats while the window is hidden; while it is visible they are sent every minute. */
  heartbeatIntervalSeconds: z.int().min(60).max(3600).default(300),
  startAtLogin: z.boolean().default(false),
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  language: z.enum(['system', ...languages]).default('system'),
});
export type Settings = z.infer<typeof settings>;

export const settingsChange = settings.partial();
export type SettingsChange = Partial<Settings>;

/** The language to use for a setting; a system language that is not available becomes English. */
export function languageFor(setting: Settings['language'], systemLocale: string): Language {
  if (setting !== 'system') return setting;
  return languages.find((language) => systemLocale.toLowerCase().startsWith(language)) ?? 'en';
}
