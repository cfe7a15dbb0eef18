/** Builds the package `latchkey-client` into dist/package: each entry as CommonJS, and what a page loads as ESM too. */
import { resolve } from 'node:path';
import { dts } from 'rolldown-plugin-dts';
import { createLogger, defaultServerConditions, defineConfig, type EnvironmentOptions, normalizePath } from 'vite';

const here = import.meta.dirname;
const outDir = resolve(here, '../../dist/package');

const machineIdSource = normalizePath(resolve(here, '../../node_modules/node-machine-id/index.js'));

/** Modules of the licensing client. */
const leftOut = ['./updates.ts', './leaked-keys.ts', './support-file.ts', './timeline.ts', './why.ts'];

const inputs = {
  index: resolve(here, 'create-licensing-client.ts'),
  electron: resolve(here, 'electron.ts'),
  node: resolve(here, 'create-node-platform.ts'),
};

/** What is not bundled is a dependency of the package or of the app; `electron` is required when it is first used. */
const entries: EnvironmentOptions = {
  consumer: 'server',
  resolve: {
    noExternal: true,
    external: ['zod'],
    // Picks ofetch without its polyfill of `fetch`, which Node 20 has.
    conditions: [...defaultServerConditions, 'workerd'],
  },
  build: {
    outDir,
    target: 'node20',
    emptyOutDir: true,
    copyPublicDir: false,
    minify: true,
    // Of the packages that are bundled.
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    rolldownOptions: {
      input: inputs,
      // Schemas that nothing here parses with are left out.
      treeshake: { moduleSideEffects: false, manualPureFunctions: ['z', 'defineErrors', 'defineFindings'] },
      // Twice would be two copies of the code in an app that loads both. `pack-client.ts` adds the ES modules.
      output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
    },
  },
};

/** For the page, where a bundler wants ES modules. */
const react: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, external: ['react'] },
  build: {
    outDir,
    target: 'es2022',
    // After the entries, whose folder it is in.
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

/** The declarations, as those of the CommonJS files; `pack-client.ts` adds those of the ES modules. */
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
          // Editors show the comments of what an app names; the others would take room.
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
      // Only documents and the server have these texts: summaries, headers and messages.
      name: 'without-texts-of-the-interface',
      enforce: 'pre',
      transform: {
        filter: { id: /\/shared\/api\/(?:endpoints|errors)\.ts$/ },
        handler: (code) =>
          code.replace(/^ {4}(?:summary:\s.*|headers: \{[^}]*\},)\n/gm, '').replace(/,\s+message: '.*?'/g, ''),
      },
    },
    {
      // Its own build has polyfills of promises that are ten times its size. The types of Flow that it has are also ones
      // of TypeScript.
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
  // Of declarations nothing is compiled.
  oxc: { exclude: [/\.js$/, /\.d\.[cm]?ts$/] },
  environments: { entries, react, preload, types },
});
