/** Punycode decoder (RFC 3492); browsers only encode. */

const base = 36;
const leastThreshold = 1;
const greatestThreshold = 26;
const lastCodePoint = 0x10ffff;

/** Decodes a label given without its `xn--` prefix; `undefined` if it is malformed. */
export function decodePunycode(encoded: string): string | undefined {
  const basicLength = Math.max(encoded.lastIndexOf('-'), 0);
  const decoded = Array.from(encoded.slice(0, basicLength), (letter) => letter.charCodeAt(0));
  let codePoint = 0x80;
  let bias = 72;
  let position = 0;
  for (let index = basicLength === 0 ? 0 : basicLength + 1; index < encoded.length; ) {
    const delta = readDelta(encoded, index, bias);
    if (!delta) return undefined;
    index = delta.end;
    const length = decoded.length + 1;
    bias = adaptBias(delta.value, { length, isFirst: position === 0 });
    codePoint += Math.floor((position + delta.value) / length);
    if (codePoint > lastCodePoint) return undefined;
    position = (position + delta.value) % length;
    decoded.splice(position, 0, codePoint);
    position += 1;
  }
  return String.fromCodePoint(...decoded);
}

/** Reads a variable-length integer and returns it with the position after it. */
function readDelta(text: string, start: number, bias: number): { value: number; end: number } | undefined {
  let value = 0;
  let weight = 1;
  for (let index = start, place = base; index < text.length; index++, place += base) {
    const digit = digits.indexOf(text.charAt(index).toLowerCase());
    if (digit === -1) return undefined;
    value += digit * weight;
    if (!Number.isSafeInteger(value)) return undefined;
    const threshold = Math.min(Math.max(place - bias, leastThreshold), greatestThreshold);
    if (digit < threshold) return { value, end: index + 1 };
    weight *= base - threshold;
  }
  return undefined;
}

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789';

function adaptBias(delta: number, { length, isFirst }: { length: number; isFirst: boolean }): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2));
  rest += Math.floor(rest / length);
  let bias = 0;
  for (; rest > ((base - leastThreshold) * greatestThreshold) / 2; bias += base) {
    rest = Math.floor(rest / (base - leastThreshold));
  }
  return bias + Math.floor(((base - leastThreshold + 1) * rest) / (rest + 38));
}
