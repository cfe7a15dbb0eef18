/** How API keys are stored and shown. */
import { describe, expect, it } from 'vitest';
import { hashApiKey, newApiKey, previewLegacyKey } from '../../../server/api-keys/api-key-hash.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { isWellFormedApiKey } from '../../../shared/formats/api-key.ts';

describe('an API key', () => {
  it('consists of 35 characters with a checksum', () => {
    const key = newApiKey(systemRandom);
    expect(key).toHaveLength(35);
    expect(isWellFormedApiKey(key)).toBe(true);
  });

  it('is stored as its SHA-256 hash', () => {
    expect(hashApiKey('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});

describe('the visible part of a legacy key', () => {
  it.each([
    { key: `svc_live_${'x'.repeat(26)}`, shown: 'svc_live_xxxx' },
    { key: 'old-0123456789abcdef0123456789', shown: 'old-012345' },
    { key: 'svc_live_tiny', shown: 'svc_' },
    { key: 'abcdef', shown: 'ab' },
    { key: 'a', shown: '' },
  ])('$key is "$shown"', ({ key, shown }) => {
    expect(previewLegacyKey(key)).toBe(shown);
  });
});
