/** The packages of other servers that are compared with. They are installed beside the project when a run needs them. */
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

/** Installs them unless they are. Throws `NotAvailable` where npm cannot. */
export function installComparedPackages(): void {
  const wanted = `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`;
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  createFolder(folder);
  writeFileSync(manifest, wanted);
  // The plugin names older peers than its own host has; all of them ship prebuilt binaries.
  const words = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8', timeout: installTimeoutMs });
  if (status !== 0) throw new NotAvailable(`npm cannot install what it is compared with: ${stderr?.split('\n')[0]}`);
  writeFileSync(installed, wanted);
}

/** A module of these packages. `T` says what of it is used, since its types are not installed. */
export async function loadCompared<T>(name: ComparedPackage): Promise<T> {
  const path = createRequire(manifest).resolve(name);
  return (await import(pathToFileURL(path).href)) as T;
}

/** What is used of better-sqlite3. */
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
