/** CRC-32 (ISO 3309, the polynomial of zip and Ethernet) of an ASCII string. */

/** Returns the checksum as an unsigned 32-bit number. `zlib.crc32` does the same, but only in Node. */
export function crc32(ascii: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < ascii.length; index++) {
    crc ^= ascii.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
