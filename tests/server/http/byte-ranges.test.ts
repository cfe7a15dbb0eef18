/** `parseByteRanges`: what each `Range` header asks for of a file of 100 bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOf, parseByteRanges } from '../../../server/http/byte-ranges.rules.ts';

const bytes = 100;

describe('a range', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=10-', 10, 99],
    ['bytes=10-1000', 10, 99],
    ['bytes=99-', 99, 99],
    ['bytes=-1', 99, 99],
    ['bytes=-100', 0, 99],
    ['bytes=-700', 0, 99],
    ['BYTES= 1-2 ', 1, 2],
    ['bytes=1-2,', 1, 2],
  ])('%s is %i to %i', (header, start, end) => {
    expect(parseByteRanges(header, bytes)).toStrictEqual([{ start, end }]);
  });

  it.each(['bytes=100-', 'bytes=100-200', 'bytes=-0', 'bytes=900-,-0'])('%s has no byte of the file', (header) => {
    expect(parseByteRanges(header, bytes)).toStrictEqual([]);
  });

  it.each([
    ['another unit', 'lines=0-1'],
    ['no range', 'bytes='],
    ['an end before its start', 'bytes=5-4'],
    ['no number', 'bytes=a-b'],
    ['a sign', 'bytes=+1-2'],
    ['a fraction', 'bytes=1.5-2'],
    ['a number with a tail', 'bytes=0-5x'],
    ['an exponent', 'bytes=0-1e1'],
    ['two dashes', 'bytes=1--2'],
    ['one of several ill-formed', 'bytes=0-1,x'],
    ['more bytes than the file has', 'bytes=0-99,0-0'],
    ['two overlapping ranges', 'bytes=0-5,5-9'],
    ['ranges that do not ascend', 'bytes=50-59,0-9'],
    ['the same byte twice', 'bytes=0-0,0-0'],
    ['a thousand overlapping ranges', `bytes=${'0-,'.repeat(1000)}`],
    ['more ranges than it may have', `bytes=${Array.from({ length: 1001 }, (_, at) => `${at}-${at}`).join()}`],
  ])('with %s is ignored', (_, header) => {
    expect(parseByteRanges(header, bytes)).toBeUndefined();
  });
});

it('several ranges stay in their order, without those behind the end', () => {
  expect(parseByteRanges('bytes=0-9, 50-59,200-300, -1', bytes)).toStrictEqual([
    { start: 0, end: 9 },
    { start: 50, end: 59 },
    { start: 99, end: 99 },
  ]);
});

it('no header asks for a byte that the file does not have, or for more than it has', () => {
  const part = fc
    .tuple(fc.option(fc.nat(300)), fc.option(fc.nat(300)))
    .map(([from, to]) => `${from ?? ''}-${to ?? ''}`);
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.integer({ min: 1, max: 200 }), (parts, size) => {
      const ranges = parseByteRanges(`bytes=${parts.join(',')}`, size) ?? [];
      for (const { start, end } of ranges) expect(0 <= start && start <= end && end < size).toBe(true);
      expect(ranges.reduce((total, range) => total + lengthOf(range), 0)).toBeLessThanOrEqual(size);
    }),
  );
});
