/** Which bytes of a file a `Range` header asks for (RFC 9110 §14). */

/** Both included, the first byte being 0. */
export type ByteRange = { readonly start: number; readonly end: number };

/** As many as `electron-updater` asks for at once. */
const maxRanges = 1_000;

/**
 * The ranges in their order, without those that begin after the end of the file; none if all do. `undefined` for a header
 * that is to be ignored, so that the whole file is sent: one of another unit, an ill-formed one, and one whose ranges
 * overlap or do not ascend (RFC 9110 §14.2).
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

/** A range whose start is after its end has no byte of the file. `undefined` if it is ill-formed. */
function parseRange(text: string, bytes: number): ByteRange | undefined {
  const match = /^([0-9]{0,15})-([0-9]{0,15})$/.exec(text);
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  const end = bytes - 1;
  // The last bytes, or all where the file has fewer.
  if (first === '') return { start: Math.max(0, bytes - Number(last)), end };
  if (last !== '' && Number(last) < Number(first)) return undefined;
  return { start: Number(first), end: last === '' ? end : Math.min(Number(last), end) };
}
