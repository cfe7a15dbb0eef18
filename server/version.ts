/** The version of this program. */
import { readOwnPackage } from './own-package.ts';

/** From the package.json of the project; empty if there is none. */
export function readVersion(): string {
  return readOwnPackage(({ version }) => (typeof version === 'string' ? version : undefined)) ?? '';
}
