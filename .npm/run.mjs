/**
 * Runs a program of the server: `node .npm/run.mjs server/main.ts …`. Prefers the system's Node where that is 24 or
 * newer, because the one that npm installs comes from a package that somebody else builds. Runs on any Node.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const requiredMajor = 24;
const [program = '', ...words] = process.argv.slice(2);
const path = fileURLToPath(new URL(`../${program}`, import.meta.url));

const system = isOfPackage(process.execPath) ? findSystemNode() : undefined;
// In place of this process, so that a signal reaches the server. Windows cannot do that.
if (system !== undefined && process.execve !== undefined) process.execve(system, [system, path, ...words], process.env);

if (majorOf(process.version) >= requiredMajor) {
  process.argv.splice(1, 2, path);
  await import(pathToFileURL(path).href);
} else {
  console.error(
    `This needs Node ${requiredMajor} or newer, and the one found is ${process.version}: install it from https://nodejs.org, or run "npm ci", which installs one on Linux and on Windows (x64).`,
  );
  process.exitCode = 1;
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
