/** The user's settings in this browser: theme and language. Nothing secret. */
import { languages } from '../../shared/ipc/language.ts';
import type { Settings } from '../../shared/ipc/settings.ts';

export type PageSettings = Pick<Settings, 'theme' | 'language'>;

const storageKey = 'latchkey.account.settings';
const themes = ['system', 'light', 'dark'] as const;
const defaults: PageSettings = { theme: 'system', language: 'system' };

/** Reads the stored settings and ignores invalid values, which another version of the page may have stored. */
export function readSettings(): PageSettings {
  try {
    const stored = JSON.parse(window.localStorage.getItem(storageKey) ?? '{}');
    return {
      theme: themes.find((theme) => theme === stored.theme) ?? defaults.theme,
      language: languages.find((language) => language === stored.language) ?? defaults.language,
    };
  } catch {
    return defaults;
  }
}

/** Stores the settings if the browser allows it; otherwise they last until the page is closed. */
export function storeSettings(settings: PageSettings): void {
  try {
    window.localStorage.setItem(storageKey, JSON.stringify(settings));
  } catch {
    // Storage is full or not allowed.
  }
}
