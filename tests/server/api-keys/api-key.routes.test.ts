/** Where a request may contain its API key. */
import { describe, expect, it } from 'vitest';
import { readPresentedKey } from '../../../server/api-keys/api-key.routes.ts';

describe('the presented key', () => {
  it.each([
    { body: 'k', header: undefined, key: 'k' },
    { body: undefined, header: 'k', key: 'k' },
    { body: 'k', header: 'k', key: 'k' },
    { body: '', header: undefined, key: '' },
    { body: undefined, header: '', key: '' },
  ])('is $key with body $body and header $header', ({ body, header, key }) => {
    expect(readPresentedKey(body, header)).toBe(key);
  });

  it.each([
    { body: undefined, header: undefined },
    { body: 'k', header: 'l' },
    { body: '', header: 'k' },
    { body: 'k', header: '' },
  ])('is rejected with body $body and header $header', ({ body, header }) => {
    expect(() => readPresentedKey(body, header)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});
