/** IPC over a socket passes what structured clone passes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../../../electron/host/structured-clone-tags.ts';

const copy = (value: unknown) => decodeValue(encodeValue(value));

describe('a value that crosses the socket', () => {
  it.each([
    ['undefined', undefined],
    ['undefined within', { a: undefined, b: [undefined, null] }],
    ['a date', new Date('2026-01-02')],
    ['a wrong date', new Date(Number.NaN)],
    ['a map', new Map<unknown, unknown>([[{ a: 1 }, new Set([1, undefined])]])],
    ['bytes', new Uint8Array([0, 1, 254, 255])],
    ['odd numbers', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e300]],
    ['a big integer', 2n ** 100n],
    ['an object that looks like a tag', { $type: 'date', value: 1 }],
    ['a tag within a tag', { $type: { $type: 'undefined' } }],
  ])('%s stays what it is', (_what, value) => {
    expect(copy(value)).toEqual(structuredClone(value));
  });

  it('keeps what an error says', () => {
    const error = copy(new TypeError('no such thing'));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'TypeError', message: 'no such thing' });
  });

  it('may be anything that is plain', () => {
    const plain = fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true });
    fc.assert(
      fc.property(plain, (value) => {
        expect(copy(value)).toEqual(value);
      }),
    );
  });

  it('does not reach the prototype', () => {
    const value = decodeValue('{"__proto__":{"polluted":true}}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    ['a function', () => {}],
    ['a method', { act() {} }],
    ['a symbol', Symbol('s')],
  ])('is refused when it is %s, as Electron refuses it', (_what, value) => {
    expect(() => encodeValue(value)).toThrow('could not be cloned');
  });
});
