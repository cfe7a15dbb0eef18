/**
 * The messages that the main process shows to the user. No message has a plural or a placeholder; the compiler checks
 * that every language has every message.
 */
import { type Language, resolveLanguage } from '../../shared/ipc/language.ts';
import type { Settings } from '../../shared/ipc/settings.ts';
import { de } from './de.ts';
import { en, type Messages } from './en.ts';
import { ja } from './ja.ts';

export const messagesByLanguage: Readonly<Record<Language, Messages>> = { en, de, ja };

/** Returns the messages for the user's language setting. The same setting returns the same object. */
export function messagesFor(setting: Settings['language'], systemLocale: string): Messages {
  return messagesByLanguage[resolveLanguage(setting, systemLocale)];
}
