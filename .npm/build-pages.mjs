/** Builds only the admin and account pages: `node .npm/build-pages.mjs FOLDER`. */
import { fileURLToPath } from 'node:url';
import { createBuilder } from 'vite';

const outDir = process.argv[2];
const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url));
const builder = await createBuilder({
  configFile,
  logLevel: 'warn',
  environments: { pages: { build: { outDir } } },
});
await builder.build(builder.environments.pages);
