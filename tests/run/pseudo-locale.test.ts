/** Tests of the pseudo-locale's texts. */
import { expect, test } from 'vitest';
import { en } from '../../renderer/i18n/locales/en.ts';
import { pseudoMessages, pseudoText } from './pseudo-locale.ts';

test('a message keeps its placeholders, tags and numbers, and has no other plain letters', () => {
  const text = pseudoText('Key {{prefix}}… was used <time/> on 3 devices.');
  expect(text).toBe('⟦Ķééý {{prefix}}… ŵááš úúšééđ <time/> óóñ 3 đééṽííçééš.⟧');
});

test('the messages have the same keys, and are about 40 % longer', () => {
  const pseudo = pseudoMessages(en.license);
  expect(Object.keys(pseudo)).toEqual(Object.keys(en.license));
  const longer = Object.values(pseudo).join('').length / Object.values(en.license).join('').length;
  expect(longer).toBeGreaterThan(1.3);
  expect(longer).toBeLessThan(1.5);
});
