/**
 * Runs a server program: `node .npm/run.mjs server/main.ts …`. Uses the bundle from `npm run build` if it is current,
 * because it starts in half the time, and the sources otherwise. Prefers the system's Node if it is version 24 or
 * newer, because the one installed by npm comes from a third-party package. Runs on any Node version.
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
// Replaces this process, so that signals reach the server. Not possible on Windows.
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
  // Node writes the cache only when a process exits on its own.
  module.flushCompileCache();
}

/** Returns the bundled program if it was built from the current sources. */
function findBundle() {
  const folder = join(root, 'dist', 'server');
  try {
    const madeFrom = readFileSync(join(folder, 'made-from'), 'utf8');
    return madeFrom === hashServerSources(root) ? join(folder, basename(program).replace(/ts$/, 'js')) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the folder for the compile cache, which belongs to this user and is not writable by others. */
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

/** Returns the first Node on the PATH that was not added by npm, if it is new enough. */
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

/** Returns the major version; 0 if the text is not a version. */
function majorOf(version) {
  return Number(/^v(\d+)\./.exec(version)?.[1] ?? 0);
}
