/** Which language is shown, and which locale formats dates and numbers. */
import { expect, test } from 'vitest';
import { formatLocale, languageFor } from '../../../renderer/i18n/shared-messages.ts';

test('a chosen language overrides the system’s, and English replaces an unsupported one', () => {
  expect(languageFor('system', 'de-AT')).toBe('de');
  expect(languageFor('system', 'fr-FR')).toBe('en');
  expect(languageFor('ja', 'de-AT')).toBe('ja');
});

test('dates follow the system’s locale if it matches the shown language', () => {
  expect(formatLocale('de', 'de-AT')).toBe('de-AT');
  expect(formatLocale('en', 'en-US')).toBe('en-US');
  expect(formatLocale('en', 'de-AT')).toBe('en-GB');
  expect(formatLocale('ja', 'en-US')).toBe('ja');
});
