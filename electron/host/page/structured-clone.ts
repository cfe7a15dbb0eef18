/** Serializes IPC messages for the socket, so that values arrive as structured clone would pass them. */
import { parse, stringify } from 'devalue';

/** What devalue does not serialize, but structured clone does: errors, and the properties of any other object. */
const reducers = {
  error: (value: unknown) => value instanceof Error && { name: value.name, message: value.message },
  properties: (value: unknown) => isUnusualObject(value) && Object.entries(value),
};

const revivers = {
  error: ({ name, message }: Error) => Object.assign(new Error(message), { name }),
  properties: (entries: [string, unknown][]) => Object.fromEntries(entries),
};

/** The value as text; throws for a function or a symbol, as Electron's IPC does. */
export function encodeValue(value: unknown): string {
  try {
    return stringify(value, reducers);
  } catch {
    throw new Error('An object could not be cloned.');
  }
}

/** A copy of the value that `encodeValue` was called with. */
export function decodeValue(text: string): unknown {
  return parse(text, revivers);
}

/** An instance of a class, or an object with a property named `__proto__`. */
function isUnusualObject(value: unknown): value is object {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype = Object.getPrototypeOf(value);
  return Object.hasOwn(value as object, '__proto__') || (prototype !== null && prototype !== Object.prototype);
}
