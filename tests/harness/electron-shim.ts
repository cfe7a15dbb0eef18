/**
 * Replaces `electron` with the browser host's shim for everything imported after this
 * file, in tests and their processes.
 */
import { registerHooks } from 'node:module';

const shim = new URL('../../electron/host/shim/electron.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    // Vitest resolves the name before Node does.
    specifier === 'electron' || specifier.endsWith('/node_modules/electron/index.js')
      ? { url: shim, shortCircuit: true }
      : next(specifier, context),
});
