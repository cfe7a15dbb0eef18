/**
 * Runs a program of the server: `node .npm/run.mjs server/main.ts …`. Takes the bundle that `npm run build` made of it
 * where that is current, because it starts in half the time, and the sources otherwise. Prefers the system's Node where
 * that is 24 or newer, because the one that npm installs comes from a package that somebody else builds. Runs on any Node.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import module from 'node:module';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildPagesIfChanged } from './pages.mjs';
import { hashServerSources } from './source-hash.mjs';

const requiredMajor = 24;
const root = fileURLToPath(new URL('..', import.meta.url));
const [program = '', ...words] = process.argv.slice(2);

const system = isOfPackage(process.execPath) ? findSystemNode() : undefined;
// In place of this process, so that a signal reaches the server. Windows cannot do that.
if (system !== undefined && process.execve !== undefined)
  process.execve(system, [system, ...process.execArgv, fileURLToPath(import.meta.url), program, ...words], process.env);

if (majorOf(process.version) >= requiredMajor) {
  if (program === 'server/main.ts') buildPagesIfChanged(root);
  await run(findBundle() ?? join(root, program));
} else {
  console.error(
    `This needs Node ${requiredMajor} or newer, and the one found is ${process.version}: install it from https://nodejs.org, or run "npm ci", which installs one as node_modules/.bin/node on Linux and on Windows (x64).`,
  );
  process.exitCode = 1;
}

async function run(path) {
  process.argv.splice(1, 2, path);
  const cache = findCacheFolder();
  if (cache !== undefined) module.enableCompileCache(cache);
  await import(pathToFileURL(path).href);
  // Node writes the cache only when a process ends by itself.
  module.flushCompileCache();
}

/** The program in the bundle, if that was made of the present sources. */
function findBundle() {
  const folder = join(root, 'dist', 'server');
  try {
    const madeFrom = readFileSync(join(folder, 'made-from'), 'utf8');
    return madeFrom === hashServerSources(root) ? join(folder, basename(program).replace(/ts$/, 'js')) : undefined;
  } catch {
    return undefined;
  }
}

/** Where compiled code is kept: a folder of this user, in which nobody else can write. */
function findCacheFolder() {
  const folder = join(root, 'node_modules', '.cache', 'latchkey');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return process.platform === 'win32' || (uid === process.getuid() && (mode & 0o022) === 0) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The first Node on the PATH that npm did not add, if it is new enough. */
function findSystemNode() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !isOfPackage(folder));
  const node = folders.map((folder) => join(folder, 'node')).find((file) => existsSync(file));
  if (process.platform === 'win32' || node === undefined) return undefined;
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return majorOf(stdout ?? '') >= requiredMajor ? node : undefined;
}

function isOfPackage(file) {
  return /[\\/]node_modules[\\/]/.test(`${file}/`);
}

/** 0 for what is no version. */
function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
}
