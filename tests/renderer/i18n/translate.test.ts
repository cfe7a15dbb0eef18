/** How a message is chosen and filled in. */
import { expect, test } from 'vitest';
import { windowMessages } from '../../../renderer/i18n/messages.ts';

const { t } = await windowMessages.load('en');
const { t: de } = await windowMessages.load('de');
const { t: ja } = await windowMessages.load('ja');

test('the count chooses the plural form of the language', () => {
  expect(t('settings.minutes', { count: 1 })).toBe('1 minute');
  expect(t('settings.minutes', { count: 0 })).toBe('0 minutes');
  expect(t('settings.minutes', { count: 1.5 })).toBe('1.5 minutes');
  expect(de('settings.minutes', { count: 1 })).toBe('1 Minute');
  expect(de('settings.minutes', { count: 2 })).toBe('2 Minuten');
  expect(ja('settings.minutes', { count: 1 })).toBe(ja('settings.minutes', { count: 2 }).replace('2', '1'));
});

test('a message without plural forms can have a count, too', () => {
  expect(t('devices.limitText', { count: 3 })).toContain('(3)');
});

test('a value is filled in unchanged, whatever it contains', () => {
  for (const name of ['{{name}}', '$& $1', '$t(name)', '<b>']) {
    expect(t('devices.released', { name })).toBe(`${name} was released.`);
  }
});

test('a value from right to left, or with controls of the direction, does not reorder the sentence around it', () => {
  expect(t('devices.released', { name: 'מעבדה 3' })).toBe('\u2068מעבדה 3\u2069 was released.');
  expect(t('devices.released', { name: 'Bench \u202efdp.\u2069' })).toBe('Bench fdp. was released.');
  expect(t('devices.released', { name: '\u2069\u202eمختبر' })).toBe('\u2068مختبر\u2069 was released.');
  expect(t('devices.released', { name: '実験室 ß' })).toBe('実験室 ß was released.');
});

test('a value from the server is translated only if it is a valid key', () => {
  expect(t.find('licenseStatus.active')).toBe('Active');
  for (const key of ['licenseStatus.toString', 'licenseStatus', 'constructor', '']) {
    expect(t.find(key)).toBeUndefined();
  }
});
