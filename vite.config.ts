/**
 * Builds the window, main, the preload, the server and its pages into dist/, each as its own Vite environment, and writes the
 * notices of the packages in them.
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
 * CommonJS that requires only Electron and Node's own modules. What main imports while it runs (the updater, undici, the
 * command line) becomes a file of its own, so that a start does not compile it.
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

/** A library is named for its package, whatever the file in it that was imported. */
function nameChunk({ facadeModuleId, name }: { facadeModuleId: string | null; name: string }): string {
  const [, library] = /node_modules\/([\w-]+)\//.exec(facadeModuleId ?? '') ?? [];
  return `${library ?? name}.cjs`;
}

/** The server and the admin program, with all libraries but the native ones: one file is read faster than a thousand. */
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
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
    },
  },
};

/** What the admin page calls, without the schemas, which need zod. */
const adminCalls = Object.fromEntries(
  Object.entries<Endpoint>(adminEndpoints).map(([name, { method, path, role, upload }]) => {
    const roles = role === undefined ? [] : staffRoles.filter((each) => includesRole(each, role));
    return [name, { method, path, roles, maxFileBytes: upload }];
  }),
);

/** What the account page calls. */
const accountCalls = Object.fromEntries(
  Object.entries<Endpoint>(endpoints).map(([name, { method, path }]) => [name, { method, path }]),
);

/** The pages that the server serves at `/admin` and `/account`. Their links are relative, so they also work below the path of a proxy. */
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

/** Writes into the folder of a build what it was made from, for `.npm/run.mjs`. */
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

/** One file for the app and the server. It comes with main, so that a build of the server or the pages alone leaves it as it is. */
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
      },
    },
    main: { ...bundleForElectron('main'), define: { declaration: JSON.stringify(declaration) } },
    preload: { ...bundleForElectron('preload'), define: { commandNames: JSON.stringify(commandNames) } },
    server: serverBundle,
    // After the server, whose folder it is in.
    pages,
  },
});
