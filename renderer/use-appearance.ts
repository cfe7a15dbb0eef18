/** Gives the document the theme and the language that the person chose. */
import { useEffect } from 'react';
import type { Settings } from '../shared/ipc/settings.ts';
import { languageFor, sentences } from './i18n/sentences.ts';

/** Follows the settings as main tells them; `system` follows the system. */
export function useAppearance(settings: Settings | undefined): void {
  const theme = settings?.theme ?? 'system';
  const language = languageFor(settings?.language ?? 'system');

  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);

  useEffect(() => {
    document.documentElement.lang = language;
    if (sentences.language !== language) void sentences.changeLanguage(language);
  }, [language]);
}
