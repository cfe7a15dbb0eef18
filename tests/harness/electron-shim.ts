/** Makes `electron` the browser host's stand-in for whatever is imported after this file, in tests and in their processes. */
import { registerHooks } from 'node:module';

const shim = new URL('../../electron/host/shim/electron.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    // Vitest has resolved the name before Node does.
    specifier === 'electron' || specifier.endsWith('/node_modules/electron/index.js')
      ? { url: shim, shortCircuit: true }
      : next(specifier, context),
});
