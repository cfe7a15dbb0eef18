/** HMAC-SHA-256 of texts. */
import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { HmacKey } from '../../server/hmac.ts';

test('agrees with the published test vectors', () => {
  // RFC 4231, sections 4.3 and 4.7.
  expect(new HmacKey(Buffer.from('Jefe')).digest('what do ya want for nothing?', 'hex')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  );
  expect(
    new HmacKey(Buffer.alloc(131, 0xaa)).digest('Test Using Larger Than Block-Size Key - Hash Key First', 'hex'),
  ).toBe('60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54');
});

test('agrees with the HMAC of Node for keys and texts of every length', () => {
  for (const keyBytes of [0, 1, 32, 63, 64, 65, 200]) {
    const key = Buffer.alloc(keyBytes, 0xc3);
    const hmac = new HmacKey(key);
    for (const text of ['', 'a', 'é€😀', 'x'.repeat(430), 'ü'.repeat(4_000), 'y'.repeat(8_128), 'z'.repeat(20_000)]) {
      for (const encoding of ['hex', 'base64url'] as const) {
        expect(hmac.digest(text, encoding)).toBe(createHmac('sha256', key).update(text).digest(encoding));
      }
    }
  }
});
