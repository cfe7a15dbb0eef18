/** Where the byte ranges in a `Range` header begin and end: the boundary cases of each rule. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf, parseByteRanges } from '../../../server/http/byte-ranges.rules.ts';

const partsOf = (header: string, bytes = 100) => parseByteRanges(header, bytes)?.map(({ start, end }) => [start, end]);

describe('byte ranges of a file of 100 bytes', () => {
  it.each([
    ['the first one', 'bytes=0-0', [[0, 0]]],
    ['the last one', 'bytes=99-99', [[99, 99]]],
    ['up to its end', 'bytes=98-99', [[98, 99]]],
    ['up to a byte behind its end', 'bytes=98-100', [[98, 99]]],
    ['from a byte on', 'bytes=98-', [[98, 99]]],
    ['the last two', 'bytes=-2', [[98, 99]]],
    ['the last hundred', 'bytes=-100', [[0, 99]]],
    ['more than it has', 'bytes=-101', [[0, 99]]],
    ['none at its end', 'bytes=100-100', []],
    ['none of the last zero', 'bytes=-0', []],
    [
      'two parts that touch',
      'bytes=0-9,10-19',
      [
        [0, 9],
        [10, 19],
      ],
    ],
    [
      'two parts with one behind its end between them',
      'bytes=0-9,100-,10-19',
      [
        [0, 9],
        [10, 19],
      ],
    ],
    [
      'two parts with spaces and empty ones',
      'bytes= 0-9 ,, 20-29 ,',
      [
        [0, 9],
        [20, 29],
      ],
    ],
    ['with the unit in capitals', 'Bytes=0-9', [[0, 9]]],
    ['up to a number of 15 digits', `bytes=5-${'9'.repeat(15)}`, [[5, 99]]],
    ['up to a number with zeros in front', 'bytes=000-009', [[0, 9]]],
  ])('%s', (_, header, expected) => {
    expect(partsOf(header)).toStrictEqual(expected);
  });

  it.each([
    ['whose end is before its start', 'bytes=10-9'],
    ['whose end is before its start, behind the file', 'bytes=200-199'],
    ['whose parts share a byte', 'bytes=0-9,9-19'],
    ['whose parts do not ascend', 'bytes=10-19,0-9'],
    ['with neither start nor end', 'bytes=-'],
    ['with neither start nor end in one part', 'bytes=0-9,-'],
    ['with no part', 'bytes='],
    ['with empty parts', 'bytes= , ,'],
    ['of another unit', 'seconds=0-9'],
    ['after something else', 'xbytes=0-9'],
    ['of two lines', 'bytes=0-9\n'],
    ['with a number of 16 digits', `bytes=0-${'9'.repeat(16)}`],
    ['with a start of 16 digits', `bytes=${'0'.repeat(16)}-9`],
    ['with something in front of a number', 'bytes=x0-9'],
    ['with a sign', 'bytes=+1-2'],
    ['with a fraction', 'bytes=1.5-2'],
    ['with an exponent', 'bytes=0-1e1'],
    ['with two dashes', 'bytes=1--2'],
    ['with something behind a number', 'bytes=0-9x'],
  ])('are ignored, so the whole file is sent, for a header %s', (_, header) => {
    expect(partsOf(header)).toBeUndefined();
  });
});

it.each([
  [999, true],
  [1000, true],
  [1001, false],
])('%i ranges in one header are accepted: %s', (count, isFollowed) => {
  const header = `bytes=${Array.from({ length: count }, (_, at) => `${2 * at}-${2 * at}`).join()}`;
  expect(partsOf(header, 10_000)?.length).toBe(isFollowed ? count : undefined);
});

it.each(['bytes=0-', 'bytes=-1', 'bytes=0-0'])('an empty file has no bytes for %s', (header) => {
  expect(partsOf(header, 0)).toStrictEqual([]);
});

it.each([
  [0, 0, 1],
  [5, 9, 5],
])('bytes %i to %i have a length of %i', (start, end, length) => {
  expect(lengthOf({ start, end })).toBe(length);
});

it('no header yields a byte twice, or one that is not in the file', () => {
  const number = fc.option(fc.nat(300));
  const part = fc.tuple(number, number).map(([from, to]) => `${from ?? ''}-${to ?? ''}`);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: 1, max: 200 }), (parts, bytes) => {
      const sent = (parseByteRanges(`bytes=${parts}`, bytes) ?? []).flatMap((range) =>
        Array.from({ length: lengthOf(range) }, (_, at) => range.start + at),
      );
      expect(sent).toStrictEqual([...new Set(sent)].sort((a, b) => a - b));
      expect(sent.every((at) => at >= 0 && at < bytes)).toBe(true);
    }),
  );
});
