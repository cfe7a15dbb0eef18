/**
 * Builds the package `latchkey-client` into dist/package: each entry as CommonJS, and what a page loads also as ESM.
 */
import { resolve } from 'node:path';
import { dts } from 'rolldown-plugin-dts';
import { createLogger, defaultServerConditions, defineConfig, type EnvironmentOptions, normalizePath } from 'vite';

const here = import.meta.dirname;
const outDir = resolve(here, '../../dist/package');

const machineIdSource = normalizePath(resolve(here, '../../node_modules/node-machine-id/index.js'));

/** Modules that are replaced by left-out.ts. */
const leftOut = [
  './updates.ts',
  './leaked-keys.ts',
  './support-file.ts',
  './timeline.ts',
  './why.ts',
  './account-export.ts',
];

const inputs = {
  index: resolve(here, 'create-licensing-client.ts'),
  electron: resolve(here, 'electron.ts'),
  node: resolve(here, 'create-node-platform.ts'),
};

/** Modules not bundled are dependencies of the package or of the app; `electron` is loaded on first use. */
const entries: EnvironmentOptions = {
  consumer: 'server',
  resolve: {
    noExternal: true,
    external: ['zod'],
    // Selects ofetch without its `fetch` polyfill, which Node 20 does not need.
    conditions: [...defaultServerConditions, 'workerd'],
  },
  build: {
    outDir,
    target: 'node20',
    emptyOutDir: true,
    copyPublicDir: false,
    minify: true,
    // Notices of the bundled packages.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      input: inputs,
      // Drops schemas that nothing in the package parses with.
      treeshake: { moduleSideEffects: false, manualPureFunctions: ['z', 'defineErrors', 'defineFindings'] },
      // Building ESM too would give an app that loads both formats two copies of the code. `pack-client.ts` adds the ES
      // modules.
      output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
    },
  },
};

/** For the page, whose bundlers expect ES modules. */
const react: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, external: ['react'] },
  build: {
    outDir,
    target: 'es2022',
    // Runs after the entries, into the same folder.
    emptyOutDir: false,
    copyPublicDir: false,
    minify: true,
    rolldownOptions: {
      input: resolve(here, 'react.ts'),
      output: [
        { format: 'es', entryFileNames: 'react.js' },
        { format: 'cjs', entryFileNames: 'react.cjs' },
      ],
    },
  },
};

const preload: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, external: ['electron'] },
  build: {
    outDir,
    target: 'node20',
    emptyOutDir: false,
    copyPublicDir: false,
    minify: true,
    rolldownOptions: {
      input: resolve(here, 'preload.ts'),
      output: { format: 'cjs', entryFileNames: 'preload.cjs', codeSplitting: false },
    },
  },
};

/** The declarations for the CommonJS files; `pack-client.ts` adds those for the ES modules. */
const types: EnvironmentOptions = {
  consumer: 'server',
  resolve: { external: ['zod', 'react'] },
  build: {
    outDir,
    emptyOutDir: false,
    copyPublicDir: false,
    minify: false,
    rolldownOptions: {
      input: { ...inputs, react: resolve(here, 'react.ts'), preload: resolve(here, 'preload.ts') },
      // An app can extend only an interface that the entry itself declares.
      preserveEntrySignatures: 'allow-extension',
      plugins: [
        {
          // Editors show the comments of what an app uses; the others only take space.
          name: 'without-inner-comments',
          transform: {
            filter: {
              id: {
                include: /\/shared\/.*\.d\.ts$/,
                exclude: /\/ipc\/(?:activation-outcome|app-state|result)\.d\.ts$/,
              },
            },
            handler: (code) => code.replace(/^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, ''),
          },
        },
        dts({
          tsconfig: resolve(here, '../../tsconfig.package.json'),
          emitDtsOnly: true,
          logger: createLogger('error'),
        }),
      ],
      checks: { pluginTimings: false },
      output: { format: 'es', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
    },
  },
};

export default defineConfig({
  root: here,
  logLevel: 'warn',
  builder: {},
  plugins: [
    {
      // Only the documents and the server use these texts: summaries, headers and messages.
      name: 'without-texts-of-the-interface',
      enforce: 'pre',
      transform: {
        filter: { id: /\/shared\/api\/(?:endpoints|errors)\.ts$/ },
        handler: (code) =>
          code.replace(/^ {4}(?:summary:\s.*|headers: \{[^}]*\},)\n/gm, '').replace(/,\s+message: '.*?'/g, ''),
      },
    },
    {
      // Its own build contains promise polyfills ten times its size. Its Flow types are also valid TypeScript.
      name: 'node-machine-id-from-source',
      enforce: 'pre',
      resolveId: (id) => (id === 'node-machine-id' ? machineIdSource : null),
      transform: (code, id) =>
        id === machineIdSource ? { code: `${code}export default { machineIdSync };`, moduleType: 'ts' } : null,
    },
    {
      name: 'files-of-the-package',
      applyToEnvironment: ({ name }) => name === 'entries',
      enforce: 'pre',
      resolveId: (id) => {
        if (id === 'electron') return resolve(here, 'lazy-electron.ts');
        return leftOut.includes(id) ? resolve(here, 'left-out.ts') : null;
      },
    },
  ],
  // Declarations are not compiled.
  oxc: { exclude: [/\.js$/, /\.d\.[cm]?ts$/] },
  environments: { entries, react, preload, types },
});
