/**
 * Builds the window, the main process, the preload, the server and its pages into dist/, each as a separate Vite
 * environment, and writes the notices of bundled packages.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type EnvironmentOptions, type Plugin } from 'vite';
import { hashPageSources, hashServerSources } from './.npm/source-hash.mjs';
import { readAppDeclaration } from './electron/app-declaration.ts';
import { createNotices, noticesName } from './electron/release/third-party-notices.ts';
import { adminEndpoints } from './shared/api/admin-endpoints.ts';
import { type Endpoint, endpoints } from './shared/api/endpoints.ts';
import { includesRole, staffRoles } from './shared/api/staff-role.ts';
import { commandNames } from './shared/ipc/ipc-schema.ts';

const here = import.meta.dirname;
const declaration = readAppDeclaration(readFileSync(resolve(here, 'package.json'), 'utf8'));

/**
 * Returns the config of a CommonJS bundle that requires only Electron and Node's own modules. Modules that main imports
 * dynamically (the updater, undici, the command line) become separate files, so that they are not compiled at startup.
 */
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
        output: { format: 'cjs', entryFileNames: `${name}.cjs`, chunkFileNames: nameChunk },
      },
    },
  };
}

/** Names a library's chunk after its package, whichever of its files was imported. */
function nameChunk({ facadeModuleId, name }: { facadeModuleId: string | null; name: string }): string {
  const [, library] = /node_modules\/([\w-]+)\//.exec(facadeModuleId ?? '') ?? [];
  return `${library ?? name}.cjs`;
}

/** The server and the admin program, including all non-native libraries: one file loads faster than a thousand. */
const serverBundle: EnvironmentOptions = {
  consumer: 'server',
  resolve: { noExternal: true, external: ['@node-rs/argon2', '@node-rs/bcrypt', 'pg-native'] },
  build: {
    outDir: resolve(here, 'dist/server'),
    target: 'node24',
    emptyOutDir: true,
    copyPublicDir: false,
    minify: false,
    sourcemap: true,
    rolldownOptions: {
      input: {
        main: resolve(here, 'server/main.ts'),
        admin: resolve(here, 'server/admin/admin.ts'),
        'backup-process': resolve(here, 'server/backup/backup-process.ts'),
        'checkpoint-thread': resolve(here, 'server/database/checkpoint-thread.ts'),
      },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // The process keeps its source in memory: without comments it needs 3 MB less.
        comments: { legal: true, jsdoc: false, annotation: false },
      },
    },
  },
};

/** Calls of the admin page, without the schemas, which would require zod. */
const adminCalls = Object.fromEntries(
  Object.entries<Endpoint>(adminEndpoints).map(([name, { method, path, role, upload }]) => {
    const roles = role === undefined ? [] : staffRoles.filter((each) => includesRole(each, role));
    return [name, { method, path, roles, maxFileBytes: upload }];
  }),
);

/** Calls of the account page. */
const accountCalls = Object.fromEntries(
  Object.entries<Endpoint>(endpoints).map(([name, { method, path }]) => [name, { method, path }]),
);

/**
 * The pages served at `/admin` and `/account`. Their links are relative, so that they also work under a proxy's path
 * prefix.
 */
const pages: EnvironmentOptions = {
  consumer: 'client',
  define: { adminCalls: JSON.stringify(adminCalls), accountCalls: JSON.stringify(accountCalls) },
  build: {
    outDir: resolve(here, 'dist/server/pages'),
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    target: ['chrome125', 'firefox128', 'safari18'],
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    copyPublicDir: false,
    rolldownOptions: {
      input: { admin: resolve(here, 'renderer/admin.html'), account: resolve(here, 'renderer/account.html') },
    },
  },
};

/** Writes a hash of the sources into a build's output folder, for `.npm/run.mjs`. */
function stampBuild(environment: string, hashSources: (root: string) => string): Plugin {
  let madeFrom = '';
  return {
    name: `stamp-${environment}`,
    applyToEnvironment: ({ name }) => name === environment,
    buildStart() {
      madeFrom = hashSources(here);
    },
    writeBundle({ dir }) {
      if (dir !== undefined) writeFileSync(resolve(dir, 'made-from'), madeFrom);
    },
  };
}

/**
 * Writes one notices file for the app and the server. It is part of the main build, so that building only the server or
 * the pages leaves it unchanged.
 */
const writeNotices: Plugin = {
  name: 'write-notices',
  applyToEnvironment: ({ name }) => name === 'main',
  writeBundle: () => writeFileSync(resolve(here, 'dist', noticesName), createNotices()),
};

export default defineConfig({
  root: resolve(here, 'renderer'),
  base: './',
  plugins: [react(), stampBuild('server', hashServerSources), stampBuild('pages', hashPageSources), writeNotices],
  builder: {},
  environments: {
    client: {
      build: {
        outDir: resolve(here, 'dist/renderer'),
        emptyOutDir: true,
        target: 'chrome140',
        modulePreload: { polyfill: false },
        rolldownOptions: {
          // What the page always loads is one file: in dozens of small ones it compresses less and loads more slowly.
          output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
        },
      },
    },
    main: { ...bundleForElectron('main'), define: { declaration: JSON.stringify(declaration) } },
    preload: { ...bundleForElectron('preload'), define: { commandNames: JSON.stringify(commandNames) } },
    server: serverBundle,
    // Must come after the server, whose output folder contains it.
    pages,
  },
});
