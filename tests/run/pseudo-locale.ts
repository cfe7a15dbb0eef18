/** The pseudo-locale: the English messages with accents, longer and in brackets, so that what is cut or not translated shows. */
import type { Page } from '@playwright/test';
import { en } from '../../renderer/i18n/locales/en.ts';
import type { Tree } from '../../renderer/i18n/translate.ts';
import type { AppState } from '../../shared/ipc/app-state.ts';
import type { FakeBridge } from '../renderer/fake-bridge.ts';

/** What stands around a message; no text of a server or a person has them. */
export const brackets = { open: '⟦', close: '⟧' } as const;

/** The language whose place it takes: one with the plural forms of English. */
const language = 'de';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const accented = 'áƀçđéƒĝĥíĵķłɱñóþʠŕšţúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶŁṀÑÓÞǪŔŠŢÚṼŴẊÝŽ';

/** A message with each letter accented and each vowel twice; placeholders, tags and numbers stay. */
export function pseudoText(message: string): string {
  const text = message.replace(/(\{\{\w+\}\}|<[^>]*>)|([aeiou])|[a-z]/gi, (all, kept, vowel) => {
    if (kept !== undefined) return kept;
    const letter = accented[letters.indexOf(all)] ?? all;
    return vowel === undefined ? letter : letter + letter.toLowerCase();
  });
  return brackets.open + text + brackets.close;
}

/** All messages of a locale; their keys stay. */
export function pseudoMessages(messages: Tree): Tree {
  return Object.fromEntries(
    Object.entries(messages).map(([key, value]) => [
      key,
      typeof value === 'string' ? pseudoText(value) : pseudoMessages(value),
    ]),
  );
}

/** From now on this page loads the pseudo-locale in place of German. */
export async function servePseudoLocale(page: Page): Promise<void> {
  const body = `export const ${language} = ${JSON.stringify(pseudoMessages(en))};`;
  await page.route(`**/assets/${language}-*.js`, (route) => route.fulfill({ contentType: 'text/javascript', body }));
}

/** Shows the window in the pseudo-locale, whatever the steps before looked for in English. */
export async function showPseudoLocale(page: Page, fake: FakeBridge, { settings }: AppState): Promise<void> {
  await servePseudoLocale(page);
  await fake.push({ settings: { ...settings, language } });
  await page.locator(`html[lang=${language}]`).waitFor();
}
