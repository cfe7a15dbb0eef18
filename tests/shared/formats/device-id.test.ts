/** Device ids and installer hashes each have one canonical spelling. */
import { describe, expect, it } from 'vitest';
import { deviceId } from '../../../shared/api/fields.ts';
import { formatDeviceId } from '../../../shared/formats/device-id.ts';
import { normalizeInstallerHash } from '../../../shared/formats/installer-hash.ts';

describe('a device id', () => {
  it('is the first 128 bits of a digest in four groups of upper-case hex', () => {
    const digest = Uint8Array.from({ length: 32 }, (_, index) => index * 8);
    const id = formatDeviceId(digest);
    expect(id).toBe('HW-00081018-20283038-40485058-60687078');
    expect(deviceId.parse(id)).toBe(id);
  });

  it('requires 16 bytes', () => {
    expect(() => formatDeviceId(new Uint8Array(15))).toThrow(RangeError);
  });

  it.each(['hw-00081018-20283038-40485058-60687078', 'HW-0008101-820283038-40485058-60687078', 'HW-', ''])(
    'is not %j',
    (text) => {
      expect(deviceId.safeParse(text).success).toBe(false);
    },
  );
});

describe('an installer hash', () => {
  const hex = 'ab'.repeat(32);

  it.each([hex, hex.toUpperCase(), `sha256:${hex}`, ` SHA256:${hex}\n`])('is read from %j', (text) => {
    expect(normalizeInstallerHash(text)).toBe(`sha256:${hex}`);
  });

  it.each(['', 'sha256:', hex.slice(1), `sha512:${hex}`, `${hex}0`])('is not read from %j', (text) => {
    expect(normalizeInstallerHash(text)).toBeNull();
  });
});
