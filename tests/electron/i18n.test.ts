/** The main process's messages are complete in every language, and follow the setting as the window does. */
import { describe, expect, it } from 'vitest';
import { messagesByLanguage, messagesFor } from '../../electron/i18n/messages.ts';
import { languages, resolveLanguage } from '../../shared/ipc/language.ts';

const namesOf = (messages: object) =>
  Object.entries(messages).flatMap(([section, each]) => Object.keys(each).map((name) => `${section}.${name}`));

const textsOf = (messages: object) => Object.values(messages).flatMap((section: object) => Object.values(section));

describe('the messages', () => {
  it.each(languages)('in %s have every name, in the same order, and no empty text', (language) => {
    expect(namesOf(messagesByLanguage[language])).toEqual(namesOf(messagesByLanguage.en));
    for (const text of textsOf(messagesByLanguage[language])) expect(text.trim()).not.toBe('');
  });

  it.each(['de', 'ja'] as const)('in %s are translated', (language) => {
    const english = textsOf(messagesByLanguage.en);
    const same = textsOf(messagesByLanguage[language]).filter((text, index) => text === english[index]);
    expect(same.filter((text) => text !== 'Latchkey')).toEqual([]);
  });
});

describe('the language', () => {
  it.each([
    ['de', 'ja-JP', 'de'],
    ['en', 'de', 'en'],
    ['system', 'de-AT', 'de'],
    ['system', 'JA', 'ja'],
    ['system', 'en-GB', 'en'],
    ['system', 'fr-FR', 'en'],
    ['system', '', 'en'],
  ] as const)('for the setting %s on a system in %j is %s', (setting, systemLocale, language) => {
    expect(resolveLanguage(setting, systemLocale)).toBe(language);
    expect(messagesFor(setting, systemLocale)).toBe(messagesByLanguage[language]);
  });
});
