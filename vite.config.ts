/** Builds the window, main and the preload into dist/, each as its own Vite environment. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type EnvironmentOptions } from 'vite';
import { commandNames } from './shared/ipc/ipc-schema.ts';
import { linkAddresses } from './shared/ipc/links.ts';

const here = import.meta.dirname;
const { latchkey } = JSON.parse(readFileSync(resolve(here, 'package.json'), 'utf8'));
const declaredLinks = linkAddresses.parse(latchkey?.links ?? {});

/** One CommonJS file that requires only Electron and Node's own modules. */
function bundleForElectron(name: 'main' | 'preload'): EnvironmentOptions {
  return {
    consumer: 'server',
    resolve: { noExternal: true, external: ['electron'] },
    build: {
      outDir: resolve(here, 'dist', name),
      target: 'node24',
      emptyOutDir: true,
      copyPublicDir: false,
      minify: false,
      rolldownOptions: {
        input: resolve(here, 'electron', `${name}.ts`),
        output: { format: 'cjs', entryFileNames: `${name}.cjs`, codeSplitting: false },
      },
    },
  };
}

export default defineConfig({
  root: resolve(here, 'renderer'),
  base: './',
  plugins: [react()],
  builder: {},
  environments: {
    client: {
      build: {
        outDir: resolve(here, 'dist/renderer'),
        emptyOutDir: true,
        target: 'chrome140',
        chunkSizeWarningLimit: 2000,
      },
    },
    main: { ...bundleForElectron('main'), define: { declaredLinks: JSON.stringify(declaredLinks) } },
    preload: { ...bundleForElectron('preload'), define: { commandNames: JSON.stringify(commandNames) } },
  },
});
