/** Builds the desktop unless what it is made of is the same as at the last build. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const sources = ['renderer/**/*.*', 'shared/**/*.ts', 'electron/**/*.{ts,png}', 'vite.config.ts', 'package*.json'];
const products = ['dist/renderer/index.html', 'dist/main/main.cjs', 'dist/preload/preload.cjs'];

/** Builds where needed; rejects with the build's own words where it fails. */
export async function buildIfChanged(root: string, say: (line: string) => void): Promise<void> {
  const stampFile = join(root, '.cache', 'built-from');
  const stamp = stampOf(root);
  const isThere = products.every((path) => existsSync(join(root, path)));
  if (isThere && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  say('Building the desktop …');
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const parameters = [vite, 'build', '--app', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, parameters, { cwd: root }).catch((error) => {
    throw new Error(`The build failed:\n${error.stdout}${error.stderr}`);
  });
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stampFile, stamp);
}

function stampOf(root: string): string {
  const hash = createHash('sha256').update(process.version);
  const files = globSync(sources, { cwd: root, exclude: ['electron/host/**', '**/*.tsbuildinfo'] }).sort();
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}
