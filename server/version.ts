/** Reads the version of this program. */
import { readOwnPackage } from './own-package.ts';

/** Returns the version in the project's package.json; empty if there is none. */
export function readVersion(): string {
  return readOwnPackage(({ version }) => (typeof version === 'string' ? version : undefined)) ?? '';
}
