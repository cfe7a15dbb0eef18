/**
 * The browser host: runs the built desktop app in Node, with the shim as its Electron. Prints the address of the page.
 */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { app, becomeReady, root } from './shim/app.ts';

const shim = new URL('./shim/electron.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: shim, shortCircuit: true } : next(specifier, context),
});

// A command of the command line ends by itself.
if (!process.argv.includes('--cli')) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit());
}

createRequire(import.meta.url)(join(root, 'dist/main/main.cjs'));
becomeReady();
