/** Tells the kinds of files apart by their first bytes. */
import { readSync } from 'node:fs';
import { openFile } from '../atomic-write.ts';

/** Returns true if the file begins with this text, in Latin-1. */
export function beginsWith(path: string, heading: string): boolean {
  const start = Buffer.alloc(heading.length);
  using file = openFile(path, 'r');
  readSync(file.descriptor, start);
  return start.toString('latin1') === heading;
}
