/** Foreign texts that are printed: no character of them controls the terminal, and none begins another line. */
import { expect, it } from 'vitest';
import { toPrintable, toPrintableJson, withPrintableTexts } from '../../../shared/formats/printable.ts';

it.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['\u009b31m', '\\u009b31m'],
  ['one\r\ntwo\u2028three\u2029', 'one\\u000d\\u000atwo\\u2028three\\u2029'],
  ['\u061c\u200b\u200f\u202e\u2066', '\\u061c\\u200b\\u200f\\u202e\\u2066'],
  ['Grüße 日本 👩‍🔬', 'Grüße 日本 👩‍🔬'],
])('%j is printed as %j', (text, expected) => {
  expect(toPrintable(text)).toBe(expected);
});

it('JSON contains no control character for a terminal, and is the same document', () => {
  const document = { 'a\u009bb': ['\u007f\u0085\n\u001b\u202e', 1, null], text: '\\u0041 "quoted"' };
  const printed = toPrintableJson(document);
  expect(printed).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(printed)).toEqual(document);
});

it('every text in a value is made safe, also in lists and as the name of a field', () => {
  expect(withPrintableTexts({ 'a\nb': ['c\nd', { e: '\u001b' }], n: 1, no: null, yes: true })).toEqual({
    'a\\u000ab': ['c\\u000ad', { e: '\\u001b' }],
    n: 1,
    no: null,
    yes: true,
  });
});
