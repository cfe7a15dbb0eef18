/** How license keys are made and stored. */
import { describe, expect, it } from 'vitest';
import { hashEnteredLicenseKey, hashLicenseKey, newLicenseKey } from '../../../server/licenses/license-key-hash.ts';
import { systemRandom } from '../../../server/random.ts';
import { hasValidCheckCharacter, normalizeLicenseKey } from '../../../shared/formats/license-key.ts';

const pepper = Buffer.alloc(32, 7);

describe('a license key', () => {
  it('is made in its canonical form', () => {
    const key = newLicenseKey(systemRandom);
    expect(normalizeLicenseKey(key)).toBe(key);
    expect(hasValidCheckCharacter(key)).toBe(true);
  });

  it('is found whatever the way it is typed', () => {
    const key = newLicenseKey(systemRandom);
    const hash = hashLicenseKey(pepper, key);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    for (const typed of [key, key.toLowerCase(), key.replaceAll('-', ''), ` ${key.replaceAll('-', ' ')} `]) {
      expect(hashEnteredLicenseKey(pepper, typed)).toBe(hash);
    }
  });

  it('has another hash under another pepper', () => {
    const key = newLicenseKey(systemRandom);
    expect(hashLicenseKey(Buffer.alloc(32, 8), key)).not.toBe(hashLicenseKey(pepper, key));
  });

  it.each(['', 'SVC', 'SVC-0000-0000-0000-000U', 'SVC-0000-0000-0000-0001', '\0', '\ud800', '🔑'.repeat(16)])(
    'that cannot be one of ours has no hash: %j',
    (typed) => {
      expect(hashEnteredLicenseKey(pepper, typed)).toBeUndefined();
    },
  );
});
