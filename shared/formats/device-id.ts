/** Device ids: `HW-` and four groups of eight upper-case hex characters, the first 128 bits of a SHA-256. */

export const deviceIdPattern = /^HW(?:-[0-9A-F]{8}){4}$/;

/** Returns the id for a digest of at least 16 bytes. */
export function formatDeviceId(digest: Uint8Array): string {
  if (digest.length < 16) throw new RangeError('a device id needs 16 bytes');
  const hex = [...digest.subarray(0, 16)]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
  return `HW-${hex.match(/.{8}/g)?.join('-')}`;
}
