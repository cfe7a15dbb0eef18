/** Checks that the packages that `npm start` needs are installed: the production dependencies are only the server's. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startMessages } from './start-messages.ts';

const installed = resolve(import.meta.dirname, '../../../node_modules');

/** Packages that build the app, and that the browser host loads from `node_modules`. */
const needed = ['vite', 'devalue', 'ws', 'zod'];

/** Returns what to tell the user if a needed package is not installed, otherwise `undefined`. */
export function describeMissingPackages(): string | undefined {
  const missing = needed.filter((name) => !existsSync(join(installed, name)));
  return missing.length === 0 ? undefined : startMessages.packagesMissing(missing);
}
