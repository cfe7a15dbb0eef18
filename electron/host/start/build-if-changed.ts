/** Builds the desktop app and the server, unless their sources are unchanged since the last build. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFolder } from '../../platform/create-folder.ts';
import { startMessages } from './start-messages.ts';

const sources = [
  'renderer/**/*.*',
  'shared/**/*.ts',
  'electron/**/*.{ts,png}',
  'server/**/*.ts',
  'vite.config.ts',
  'package*.json',
];
const outputs = [
  'dist/renderer/index.html',
  'dist/main/main.cjs',
  'dist/preload/preload.cjs',
  'dist/server/main.js',
  'dist/server/pages/admin.html',
  'dist/server/pages/account.html',
];

/** Rejects with the output of the build if it fails. */
export async function buildIfChanged(root: string, print: (line: string) => void): Promise<void> {
  const stampFile = join(root, '.cache', 'built-from');
  const stamp = stampOf(root);
  const exists = outputs.every((path) => existsSync(join(root, path)));
  if (exists && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  print(startMessages.building);
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--app', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, args, { cwd: root }).catch((error) => {
    throw new Error(startMessages.buildFailed(`${error.stdout}${error.stderr}`));
  });
  createFolder(join(root, '.cache'));
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
