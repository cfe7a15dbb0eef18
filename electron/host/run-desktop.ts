/** Runs the built desktop in plain Node, with the stand-in as its Electron; prints the address of its window. */
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { app, becomeReady } from './stand-in/app.ts';
import { root } from './stand-in/host-options.ts';

const standIn = new URL('./stand-in/electron.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : next(specifier, context),
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit());

createRequire(import.meta.url)(join(root, 'dist/main/main.cjs'));
becomeReady();
