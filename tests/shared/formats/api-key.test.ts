/** API keys: 35 characters, of which the last two distinguish a mistyped key from a real one. */
import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatApiKey, isWellFormedApiKey, previewApiKey } from '../../../shared/formats/api-key.ts';
import { crc32 } from '../../../shared/formats/crc32.ts';

const random24 = fc
  .uint8Array({ minLength: 18, maxLength: 18 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'));

describe('an API key', () => {
  it('has 35 characters and passes its own check', () => {
    fc.assert(
      fc.property(random24, (random) => {
        const key = formatApiKey(random);
        expect(key).toMatch(/^svc_live_[\w-]{26}$/);
        expect(key).toHaveLength(35);
        expect(isWellFormedApiKey(key)).toBe(true);
      }),
    );
  });

  it('carries the top 12 bits of the CRC-32 of its first 33 characters', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    fc.assert(
      fc.property(random24, (random) => {
        const key = formatApiKey(random);
        const bits = alphabet.indexOf(key.charAt(33)) * 64 + alphabet.indexOf(key.charAt(34));
        expect(bits).toBe(zlibCrc32(key.slice(0, 33)) >>> 20);
      }),
    );
  });

  it.each(['', 'svc_live_', 'svc_test_AAAAAAAAAAAAAAAAAAAAAAAAAA', 'svc_live_AAAAAAAAAAAAAAAAAAAAAAAA!!'])(
    'is not %j',
    (text) => {
      expect(isWellFormedApiKey(text)).toBe(false);
    },
  );

  it('is shown afterwards as its prefix and four characters', () => {
    expect(previewApiKey(formatApiKey('abcdefghijklmnopqrstuvwx'))).toBe('svc_live_abcd');
  });
});

describe('crc32', () => {
  it('agrees with zlib', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(crc32(text)).toBe(zlibCrc32(text));
      }),
    );
  });
});
