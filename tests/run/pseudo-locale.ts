/**
 * The pseudo-locale: English messages with accents, longer and in brackets, so that cut
 * or untranslated text is visible.
 */
import type { Page } from '@playwright/test';
import { en } from '../../renderer/i18n/locales/en.ts';
import type { Tree } from '../../renderer/i18n/translate.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { FakeBridge } from '../renderer/fake-bridge.ts';

/** Brackets around a message; no text from a server or person contains them. */
export const brackets = { open: '⟦', close: '⟧' } as const;

/** Language that it replaces: one with the plural forms of English. */
const language = 'de';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const accented = 'áƀçđéƒĝĥíĵķłɱñóþʠŕšţúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶŁṀÑÓÞǪŔŠŢÚṼŴẊÝŽ';

/** Accents each letter of a message and doubles each vowel; keeps placeholders, tags and numbers. */
export function pseudoText(message: string): string {
  const text = message.replace(/(\{\{\w+\}\}|<[^>]*>)|([aeiou])|[a-z]/gi, (all, kept, vowel) => {
    if (kept !== undefined) return kept;
    const letter = accented[letters.indexOf(all)] ?? all;
    return vowel === undefined ? letter : letter + letter.toLowerCase();
  });
  return brackets.open + text + brackets.close;
}

/** Converts all messages of a locale; keeps their keys. */
export function pseudoMessages(messages: Tree): Tree {
  return Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === 'string' ? pseudoText(value) : pseudoMessages(value),
    ]),
  );
}

/** Makes this page load the pseudo-locale instead of German from now on. */
export async function servePseudoLocale(page: Page): Promise<void> {
  const body = `export const ${language} = ${JSON.stringify(pseudoMessages(en))};`;
  await page.route(`**/assets/${language}-*.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }));
}

/** Switches the window to the pseudo-locale, after steps that looked for English text. */
export async function showPseudoLocale(page: Page, fake: FakeBridge, { settings }: AppState): Promise<void> {
  await servePseudoLocale(page);
  await fake.push({ settings: { ...settings, language } });
  await page.locator(`html[lang=${language}]`).waitFor();
}
