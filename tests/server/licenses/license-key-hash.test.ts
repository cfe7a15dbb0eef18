/** How license keys are generated and stored. */
import { describe, expect, it } from 'vitest';
import { LicenseKeyHasher, newLicenseKey } from '../../../server/licenses/license-key-hash.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { hasValidCheckCharacter, normalizeLicenseKey } from '../../../shared/formats/license-key.ts';

const pepper = Buffer.alloc(32, 7);
const hasher = new LicenseKeyHasher({ pepper });

describe('a license key', () => {
  it('is generated in its canonical form', () => {
    const key = newLicenseKey(systemRandom);
    expect(normalizeLicenseKey(key)).toBe(key);
    expect(hasValidCheckCharacter(key)).toBe(true);
  });

  it('is found however it is typed', () => {
    const key = newLicenseKey(systemRandom);
    const hash = hasher.hash(key);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const typed of [key, key.toLowerCase(), key.replaceAll('-', ''), ` ${key.replaceAll('-', ' ')} `]) {
      expect(hasher.hashEntered(typed)).toBe(hash);
    }
  });

  it('from another system is found as it is, without surrounding spaces', () => {
    const hash = hasher.hash('Key-of 1234');
    expect(hasher.hashEntered('\tKey-of 1234  ')).toBe(hash);
    expect(hasher.hashEntered('key-of 1234')).not.toBe(hash);
  });

  it('has a different hash with a different pepper', () => {
    const key = newLicenseKey(systemRandom);
    expect(new LicenseKeyHasher({ pepper: Buffer.alloc(32, 8) }).hash(key)).not.toBe(hasher.hash(key));
  });

  it.each(['', ' \t', '\0', 'a\u009bb', '\ud800', 'x'.repeat(4001)])(
    'that no license can have gets no hash: %j',
    (typed) => {
      expect(hasher.hashEntered(typed)).toBeUndefined();
    },
  );
});
