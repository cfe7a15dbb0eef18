/**
 * The packages of the other servers in the comparison. They are installed outside the project when a run needs them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createFolder } from '../../../server/create-folder.ts';
import { repository } from '../../harness/environment.ts';
import { NotAvailable } from '../measurement.ts';

const dependencies = {
  '@better-auth/api-key': '1.7.5',
  bcrypt: '6.0.0',
  'better-auth': '1.7.25',
  'better-sqlite3': '13.2.0',
  express: '5.3.0',
  jsonwebtoken: '9.0.3',
} as const;

type ComparedPackage = keyof typeof dependencies | `${keyof typeof dependencies}/${string}`;

const folder = join(repository, '.cache/benchmarks');
const manifest = join(folder, 'package.json');
const installed = join(folder, 'installed.json');

const installTimeoutMs = 180_000;

/** Installs the packages if necessary. Throws `NotAvailable` if npm cannot. */
export function installComparedPackages(): void {
  const wanted = `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`;
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  createFolder(folder);
  writeFileSync(manifest, wanted);
  // The plugin requires older peers than its own host has; all of them ship prebuilt binaries.
  const words = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', timeout: installTimeoutMs });
  if (status !== 0) throw new NotAvailable(`npm cannot install what it is compared with: ${stderr?.split('\n')[0]}`);
  writeFileSync(installed, wanted);
}

/** Imports a module of these packages. `T` describes the used part, since their types are not installed. */
export async function loadCompared<T>(name: ComparedPackage): Promise<T> {
  const path = createRequire(manifest).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}

/** The used part of better-sqlite3. */
export type BetterSqlite = {
  pragma(text: string): unknown;
  exec(text: string): void;
  prepare(text: string): {
    get(...values: unknown[]): Record<string, unknown> | undefined;
    all(...values: unknown[]): Record<string, unknown>[];
    run(...values: unknown[]): unknown;
  };
};

export type BetterSqliteModule = { readonly default: new (file: string) => BetterSqlite };
