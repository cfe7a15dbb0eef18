/** Serializes IPC messages for the socket, so that values arrive as with structured clone. */
import { parse, stringify } from 'devalue';

/** What structured clone supports but devalue does not: errors, and the properties of any other object. */
const reducers = {
  error: (value: unknown) => value instanceof Error && { name: value.name, message: value.message },
  properties: (value: unknown) => isUnusualObject(value) && Object.entries(value),
};

const revivers = {
  error: ({ name, message }: Error) => Object.assign(new Error(message), { name }),
  properties: (entries: [string, unknown][]) => Object.fromEntries(entries),
};

/** Serializes the value; throws for a function or a symbol, as Electron's IPC does. */
export function encodeValue(value: unknown): string {
  try {
    return stringify(value, reducers);
  } catch {
    throw new Error('An object could not be cloned.');
  }
}

/** Returns a copy of the value passed to `encodeValue`. */
export function decodeValue(text: string): unknown {
  return parse(text, revivers);
}

/** True for an instance of a class, or an object with a property named `__proto__`. */
function isUnusualObject(value: unknown): value is object {
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype = Object.getPrototypeOf(value);
  return Object.hasOwn(value as object, '__proto__') || (prototype !== null && prototype !== Object.prototype);
}
