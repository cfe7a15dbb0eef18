/** Parses the byte ranges that a `Range` header asks for (RFC 9110 §14). */

/** A byte range; both ends are inclusive, and the first byte of the file is 0. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Maximum number of ranges: as many as `electron-updater` requests at once. */
const maxRanges = 1_000;

/**
 * Returns the requested ranges in order, leaving out those that start past the end of the file; empty if they all do.
 * Returns `undefined` if the header must be ignored and the whole file sent: another unit, an ill-formed header, or
 * ranges that overlap or are not ascending (RFC 9110 §14.2).
 */
export function parseByteRanges(header: string, bytes: number): readonly ByteRange[] | undefined {
  const list = /^bytes=(.*)$/i.exec(header)?.[1];
  if (list === undefined) return undefined;
  const parts = list.split(',').map((part) => part.trim());
  const given = parts.filter((part) => part !== '').map((part) => parseRange(part, bytes));
  if (given.length === 0 || given.length > maxRanges) return undefined;
  const ranges: ByteRange[] = [];
  let next = 0;
  for (const range of given) {
    if (range === undefined) return undefined;
    if (range.start > range.end) continue;
    if (range.start < next) return undefined;
    next = range.end + 1;
    ranges.push(range);
  }
  return ranges;
}

export function lengthOf({ start, end }: ByteRange): number {
  return end - start + 1;
}

/**
 * Parses one range; a start greater than the end means that no byte of the file is selected. `undefined` if ill-formed.
 */
function parseRange(text: string, bytes: number): ByteRange | undefined {
  const match = /^([0-9]{0,15})-([0-9]{0,15})$/.exec(text);
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  const end = bytes - 1;
  // The last bytes, or all if the file has fewer.
  if (first === '') return { start: Math.max(0, bytes - Number(last)), end };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? end : Math.min(Number(last), end) };
}
