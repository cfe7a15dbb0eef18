/**
 * Runs after `npm ci`: sees to it that npm's scripts find the Node that package.json pins.
 * npm 10 installs the package of this platform, then takes its link in node_modules/.bin away again together with
 * those of the packages for other platforms; npm 11 leaves it. Runs on any Node.
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
