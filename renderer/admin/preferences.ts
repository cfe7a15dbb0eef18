/** A staff member's preferences in this browser: theme, language, and the columns of each table. Nothing secret. */
import { create } from 'zustand';
import { type Language, languages } from '../../shared/ipc/language.ts';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

type Preferences = {
  readonly theme: Theme;
  readonly language: Language | 'system';
  /** Columns that the user has explicitly shown or hidden, by table. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
};

const storageKey = 'latchkey.admin.preferences';
const defaults: Preferences = { theme: 'system', language: 'system', columns: {} };

export const usePreferences = create<Preferences>()(read);

/** Changes preferences and stores them if the browser allows it; otherwise they last until the page is closed. */
export function changePreferences(changes: Partial<Preferences>): void {
  usePreferences.setState(changes);
  try {
    window.localStorage.setItem(storageKey, JSON.stringify(usePreferences.getState()));
  } catch {
    // Storage is full or not allowed.
  }
}

/** Reads the stored preferences and ignores invalid values, which another version of the page may have stored. */
function read(): Preferences {
  try {
    const stored = JSON.parse(window.localStorage.getItem(storageKey) ?? '{}');
    return {
      theme: themes.find((theme) => theme === stored.theme) ?? defaults.theme,
      language: languages.find((language) => language === stored.language) ?? defaults.language,
      columns: typeof stored.columns === 'object' && stored.columns !== null ? stored.columns : defaults.columns,
    };
  } catch {
    return defaults;
  }
}
