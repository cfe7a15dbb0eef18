/** The hint while a license key is typed. */
import { expect, test } from 'vitest';
import { hintForLicenseKey } from '../../../renderer/i18n/license-key-hint.ts';
import { formatLicenseKey } from '../../../shared/formats/license-key.ts';

const key = formatLicenseKey(Array.from({ length: 15 }, (_, index) => (index * 7) % 32));

test('counts the missing characters at every length', () => {
  expect(hintForLicenseKey('')).toEqual({ kind: 'empty' });
  expect(hintForLicenseKey('s')).toEqual({ kind: 'incomplete', missing: 16 });
  expect(hintForLicenseKey('SVC-')).toEqual({ kind: 'incomplete', missing: 16 });
  expect(hintForLicenseKey(key.slice(0, 8))).toEqual({ kind: 'incomplete', missing: 12 });
  expect(hintForLicenseKey(`${key}0`)).toEqual({ kind: 'too-long' });
});

test('recognizes a valid key in any spelling', () => {
  for (const written of [key, key.toLowerCase(), key.replaceAll('-', ''), ` ${key.replaceAll('-', ' ')} `]) {
    expect(hintForLicenseKey(written)).toEqual({ kind: 'good' });
  }
});

test('any single wrong character counts as mistyped', () => {
  for (let index = 4; index < key.length; index += 1) {
    if (key[index] === '-') continue;
    const wrong = key.slice(0, index) + (key[index] === '7' ? '8' : '7') + key.slice(index + 1);
    expect(hintForLicenseKey(wrong)).toEqual({ kind: 'mistyped' });
  }
});

test('a key of another server is recognized', () => {
  expect(hintForLicenseKey('ACME-1234')).toEqual({ kind: 'other-shape' });
  expect(hintForLicenseKey('SVC-12U4')).toEqual({ kind: 'bad-character', character: 'U' });
});
