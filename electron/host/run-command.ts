/**
 * `npm run latchkey -- COMMAND`: the app's command line in the browser host; builds the app first if it has changed.
 */
import { resolve } from 'node:path';
import { buildIfChanged } from './start/build-if-changed.ts';

await buildIfChanged(resolve(import.meta.dirname, '../..'), (line) => console.error(line));
process.argv.splice(2, 0, '--cli');
await import('./run-desktop.ts');
