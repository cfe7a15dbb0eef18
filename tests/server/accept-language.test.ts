/** The language of the server's texts, chosen by Accept-Language. */
import { expect, it } from 'vitest';
import { chooseLanguage } from '../../server/accept-language.ts';

it.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['fr,ja;q=0.1', 'ja'],
  ['fr', 'en'],
  [undefined, 'en'],
])('for %s is %s', (header, language) => {
  expect(chooseLanguage(header)).toBe(language);
});

it('is chosen by the first 200 characters, so that a long header costs no more than that of a browser', () => {
  expect(chooseLanguage(`${'a,'.repeat(99)}de`)).toBe('de');
  expect(chooseLanguage(`${'a,'.repeat(100)}de`)).toBe('en');
});
