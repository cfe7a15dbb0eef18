/** The packages that ship in the server and its pages, in the desktop app, and in the npm package `latchkey-client`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImports } from './imports.ts';

export const repository = join(import.meta.dirname, '../..');

/** Entries bundled by `vite.config.ts` and the one in `electron/package`. */
const entries = [
  ...['main', 'admin/admin', 'backup/backup-process', 'database/checkpoint-thread'].map((name) => `server/${name}.ts`),
  ...['main', 'admin/main', 'account/main'].map((name) => `renderer/${name}.tsx`),
  ...['main', 'preload'].map((name) => `electron/${name}.ts`),
  ...['create-licensing-client', 'electron', 'create-node-platform', 'react', 'preload'].map(
    (name) => `electron/package/${name}.ts`,
  ),
];

/** An entry of package-lock.json. */
type Locked = Readonly<{ version: string; license?: string }> &
  Readonly<Partial<Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>>;

export type ShippedPackage = { readonly path: string; readonly name: string } & Locked;

/**
 * Returns the packages that our own files import, directly or through each other. Most are development dependencies,
 * since they are bundled.
 */
export function readImportedPackages(): string[] {
  const imports = readImports(repository).filter(({ typeOnly }) => !typeOnly);
  const reached = new Set(entries);
  for (const file of reached) for (const found of imports) if (found.file === file) reached.add(found.target);
  const packages = [...reached].flatMap(
    (target) => /^(?!(?:node:|shared\/|server\/|renderer\/|electron\/))(?:@[^/]+\/)?[^/]+/.exec(target) ?? [],
  );
  return [...new Set(packages)].sort();
}

/** Returns those, the Node that `npm run server` runs on, and all of their dependencies, on any system. */
export function readShippedPackages(): ShippedPackage[] {
  const read = (name: string) => JSON.parse(readFileSync(join(repository, name), 'utf8'));
  const locked: Readonly<Record<string, Locked>> = read('package-lock.json').packages;
  // The library debug, in the updater, uses supports-color if something else has installed it.
  const bundled = [...readImportedPackages(), 'supports-color'];
  const named = [...bundled, ...Object.keys(read('package.json').optionalDependencies)];
  const paths = new Set(named.map((name) => `node_modules/${name}`));
  for (const path of paths) {
    // Its own dependencies only download the binary.
    if (path === 'node_modules/electron') continue;
    const needed = { ...locked[path]?.dependencies, ...locked[path]?.optionalDependencies };
    for (const name of Object.keys(needed)) paths.add(resolveFrom(path, name, locked));
  }
  return [...paths].flatMap((path) => {
    const found = locked[path];
    return found ? { ...found, path, name: path.slice(path.lastIndexOf('node_modules/') + 13) } : [];
  });
}

/** Resolves packages as Node does: next to those that need them, then further up. */
function resolveFrom(path: string, name: string, locked: Readonly<Record<string, Locked>>): string {
  const beside = `${path}/node_modules/${name}`;
  if (locked[beside] || path === '') return beside.replace(/^\//, '');
  return resolveFrom(path.slice(0, Math.max(0, path.lastIndexOf('/node_modules/'))), name, locked);
}
