/** Which files are text, and in which encoding. */
import { expect, it } from 'vitest';
import { TextReader } from '../../../electron/licensing/text-reader.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

it.each([
  ['UTF-8', utf8('Schlüssel'), 'Schlüssel'],
  ['UTF-8 with a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 'a'],
  ['little-endian UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0, 0xfc, 0), 'aü'],
  ['big-endian UTF-16', Uint8Array.of(0xfe, 0xff, 0, 0x61, 0, 0xfc), 'aü'],
  ['nothing', new Uint8Array(), ''],
  ['a zero byte among the first bytes', Uint8Array.of(0x61, 0, 0x62), null],
  ['half of a byte order mark', Uint8Array.of(0xff, 0x61), '\ufffda'],
  ['the other half of one', Uint8Array.of(0x61, 0xfe), 'a\ufffd'],
  ['the end of the other mark', Uint8Array.of(0x61, 0xff), 'a\ufffd'],
  ['half of the other mark', Uint8Array.of(0xfe, 0x61), '\ufffda'],
])('a file with %s is read as text, or not at all', (_, bytes, expected) => {
  expect(new TextReader().read(bytes)).toBe(expected);
});

it('only the first 8 KiB decide whether a file is binary', () => {
  const bytes = new Uint8Array(8193).fill(0x61);
  bytes[8192] = 0;
  expect(new TextReader().read(bytes)).toHaveLength(8193);
  bytes[8191] = 0;
  expect(new TextReader().read(bytes)).toBeNull();
});

it('a character in two parts is read once it is complete, and the encoding is decided once', () => {
  const reader = new TextReader();
  const bytes = utf8('aü');
  expect(reader.read(bytes.subarray(0, 2))).toBe('a');
  expect(reader.read(bytes.subarray(2))).toBe('ü');
  expect(reader.read(Uint8Array.of(0))).toBe('\0');
});
