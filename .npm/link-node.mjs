/**
 * Runs after `npm ci` and makes sure that npm scripts find the Node version pinned in package.json. npm 10 installs the
 * package for this platform, but then removes its link in node_modules/.bin together with those of the packages for
 * other platforms; npm 11 keeps it. Runs on any Node version.
 */
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
const platform = process.platform === 'win32' ? 'win' : process.platform;
const program = join(`node-${platform}-${process.arch}`, 'bin', platform === 'win' ? 'node.exe' : 'node');

if (existsSync(join(modules, program))) linkNode();

function linkNode() {
  const link = join(modules, '.bin', platform === 'win' ? 'node.cmd' : 'node');
  if (existsSync(link)) return;
  rmSync(link, { force: true });
  if (platform === 'win') writeFileSync(link, `@"%~dp0..\\${program}" %*\r\n`);
  else symlinkSync(join('..', program), link);
  chmodSync(join(modules, program), 0o755);
}
