/** JSON with tags, so that IPC over a socket passes what structured clone passes, and refuses what it refuses. */

const tag = '$type';

type Tagged = { readonly [tag]: string; readonly value?: unknown };

/** The value as JSON text; throws for a function or a symbol, as Electron's IPC does. */
export function encodeValue(value: unknown): string {
  return JSON.stringify(toTagged(value));
}

/** The value that `encodeValue` was given, as a copy. */
export function decodeValue(text: string): unknown {
  return fromTagged(JSON.parse(text));
}

function toTagged(value: unknown): unknown {
  switch (typeof value) {
    case 'function':
    case 'symbol':
      throw new Error('An object could not be cloned.');
    case 'undefined':
      return { [tag]: 'undefined' };
    case 'bigint':
      return { [tag]: 'bigint', value: String(value) };
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { [tag]: 'number', value: numberName(value) };
    case 'object':
      return value === null ? null : objectToTagged(value);
    default:
      return value;
  }
}

function objectToTagged(value: object): unknown {
  if (Array.isArray(value)) return value.map(toTagged);
  if (value instanceof Date) return { [tag]: 'date', value: toTagged(value.getTime()) };
  if (value instanceof Map) return { [tag]: 'map', value: toTagged([...value]) };
  if (value instanceof Set) return { [tag]: 'set', value: toTagged([...value]) };
  if (value instanceof Uint8Array) return { [tag]: 'bytes', value: toBase64(value) };
  if (value instanceof Error) return { [tag]: 'error', value: { name: value.name, message: value.message } };
  const entries = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toTagged(each)]));
  return tag in value ? { [tag]: 'object', value: entries } : entries;
}

function fromTagged(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(fromTagged);
  return tag in value ? fromTag(value as Tagged) : fromEntries(value);
}

function fromTag(tagged: Tagged): unknown {
  const { value } = tagged;
  switch (tagged[tag]) {
    case 'undefined':
      return undefined;
    case 'bigint':
      return BigInt(value as string);
    case 'number':
      return value === '-0' ? -0 : Number(value);
    case 'date':
      return new Date(fromTagged(value) as number);
    case 'map':
      return new Map(fromTagged(value) as [unknown, unknown][]);
    case 'set':
      return new Set(fromTagged(value) as unknown[]);
    case 'bytes':
      return fromBase64(value as string);
    case 'error':
      return Object.assign(new Error((value as Error).message), { name: (value as Error).name });
    case 'object':
      return fromEntries(value as object);
    default:
      throw new Error('A message holds a tag that is not known.');
  }
}

/** A name such as `__proto__` becomes a property like any other. */
function fromEntries(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromTagged(each)]));
}

function numberName(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
