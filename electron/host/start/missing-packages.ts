/** Whether what `npm start` needs is installed: the production dependencies are those of the server alone. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startMessages } from './start-messages.ts';

const installed = resolve(import.meta.dirname, '../../../node_modules');

/** What builds the app, and what the browser host loads from `node_modules`. */
const needed = ['vite', 'devalue', 'ws', 'zod'];

/** What to tell the user if a needed package is not installed, else `undefined`. */
export function describeMissingPackages(): string | undefined {
  const missing = needed.filter((name) => !existsSync(join(installed, name)));
  return missing.length === 0 ? undefined : startMessages.packagesMissing(missing);
}
