/** Tells the kinds of files apart by their first bytes. */
import { closeSync, openSync, readSync } from 'node:fs';

/** Returns true if the file begins with this text, in Latin-1. */
export function beginsWith(path: string, heading: string): boolean {
  const start = Buffer.alloc(heading.length);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  return start.toString('latin1') === heading;
}
