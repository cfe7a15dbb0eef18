/** License keys: the forms in which people type them are understood, and typing errors are detected. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  crockfordAlphabet,
  formatLicenseKey,
  hasValidCheckCharacter,
  normalizeLicenseKey,
  previewLicenseKey,
} from '../../../shared/formats/license-key.ts';

const anyKey = fc.array(fc.nat(31), { minLength: 15, maxLength: 15 }).map(formatLicenseKey);

describe('a license key', () => {
  it('has the prefix and four groups of four', () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        expect(key).toMatch(/^SVC(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
        expect(normalizeLicenseKey(key)).toBe(key);
        expect(hasValidCheckCharacter(key)).toBe(true);
      }),
    );
  });

  it('never passes its check with one character wrong', () => {
    const position = fc.nat(15);
    fc.assert(
      fc.property(anyKey, position, fc.nat(31), (key, index, other) => {
        const body = [...key.slice(4).replaceAll('-', '')];
        const replacement = crockfordAlphabet.charAt(other);
        fc.pre(body[index] !== replacement);
        body[index] = replacement;
        expect(hasValidCheckCharacter(normalizeLicenseKey(`SVC${body.join('')}`) ?? '')).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['svc-0123-4567-89ab-cdef', 'SVC-0123-4567-89AB-CDEF'],
    [' SVC 0123 4567 89AB CDEF ', 'SVC-0123-4567-89AB-CDEF'],
    ['SVC0123456789ABCDEF', 'SVC-0123-4567-89AB-CDEF'],
    ['svc-oIl3-4567-89ab-cdef', 'SVC-0113-4567-89AB-CDEF'],
    ['SVC–0123–4567–89AB–CDEF', 'SVC-0123-4567-89AB-CDEF'],
  ])('is read from %j', (typed, key) => {
    expect(normalizeLicenseKey(typed)).toBe(key);
  });

  it.each(['', 'SVC', 'SVC-0123', 'ACME-0123-4567-89AB-CDEF', 'SVC-0123-4567-89AB-CDEU', 'SVC-0123-4567-89AB-CDEF0'])(
    'is not read from %j',
    (typed) => {
      expect(normalizeLicenseKey(typed)).toBeNull();
    },
  );

  it('is masked to its first and last four characters', () => {
    expect(previewLicenseKey('SVC-AB12-3456-7890-WXYZ')).toBe('SVC-AB12...WXYZ');
  });
});
