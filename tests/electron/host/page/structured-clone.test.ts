/** The socket carries every value that structured clone carries. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../../../../electron/host/page/structured-clone.ts';

const copy = (value: unknown) => decodeValue(encodeValue(value));

describe('a value that is sent over the socket', () => {
  it.each([
    ['undefined', undefined],
    ['undefined within', { a: undefined, b: [undefined, null] }],
    ['a date', new Date('2026-01-02')],
    ['a wrong date', new Date(Number.NaN)],
    ['a map', new Map<unknown, unknown>([[{ a: 1 }, new Set([1, undefined])]])],
    ['bytes', new Uint8Array([0, 1, 254, 255])],
    ['odd numbers', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e300]],
    ['a big integer', 2n ** 100n],
    ['an object that looks like a serialized one', [['Date', 1], { error: 1 }, -1]],
    ['repeated references', Array(2).fill({ a: 1 })],
    ['a property named __proto__', JSON.parse('{"__proto__":{"a":1},"b":[2]}')],
    [
      'an instance of a class',
      new (class {
        readonly a = [1];
      })(),
    ],
  ])('%s stays unchanged', (_what, value) => {
    expect(copy(value)).toEqual(structuredClone(value));
  });

  it('keeps the name and the message of an error', () => {
    const error = copy(new TypeError('no such thing'));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'TypeError', message: 'no such thing' });
  });

  it('may be any plain value', () => {
    const plain = fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true });
    fc.assert(
      fc.property(plain, (value) => {
        expect(copy(value)).toEqual(value);
      }),
    );
  });

  it('cannot change a prototype', () => {
    const value = copy(JSON.parse('{"__proto__":{"polluted":true}}')) as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(() => decodeValue('[{"__proto__":1},{"polluted":2},true]')).toThrow();
    expect('polluted' in {}).toBe(false);
  });

  it.each([
    ['a function', () => {}],
    ['a method', { act() {} }],
    ['a symbol', Symbol('s')],
  ])('must not be %s, as in Electron', (_what, value) => {
    expect(() => encodeValue(value)).toThrow('could not be cloned');
  });
});
