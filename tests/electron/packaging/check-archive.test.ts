/** Detects an archive with a stray file, without a file of the app or the notices, or with a file beside it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPackageWithOptions } from '@electron/asar';
import { expect, it } from 'vitest';
import { checkArchive } from '../../../electron/packaging/check-archive.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const needed = [
  'package.json',
  'dist/main/main.cjs',
  'dist/main/run-cli.cjs',
  'dist/main/undici.cjs',
  'dist/main/electron-updater.cjs',
  'dist/main/rolldown-runtime.cjs',
  'dist/preload/preload.cjs',
  'dist/renderer/index.html',
  'dist/renderer/assets/index-AHo-XI26.css',
  'dist/renderer/assets/index-DaLHf8Y-.js',
  'dist/renderer/assets/icon-BEFdabMi.svg',
];

type Contents = { readonly files: readonly string[] } & Readonly<
  Partial<{ links: readonly string[]; unpack: string; notices: boolean }>
>;

async function problemsOf({ files, links = [], unpack, notices = true }: Contents): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const source = join(folder, 'source');
  for (const file of [...files, ...links]) mkdirSync(dirname(join(source, file)), { recursive: true });
  for (const file of files) writeFileSync(join(source, file), 'x');
  for (const link of links) symlinkSync('index-DaLHf8Y-.js', join(source, link));
  const archive = join(folder, 'app.asar');
  await createPackageWithOptions(source, archive, { ...(unpack && { unpack }) });
  if (notices) writeFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'x');
  return checkArchive(archive);
}

it('finds no problem in an archive with the files of the app', async () => {
  expect(await problemsOf({ files: needed })).toEqual([]);
});

it.each([
  'dist/server/main.js',
  'dist/main/main.cjs.map',
  'node_modules/zod/package.json',
  'electron/host/run-desktop.ts',
  'dist/renderer/assets/index-1.js.map',
  '.env',
  'publisher-key.json',
])('finds %s, which would be shipped to everyone', async (file) => {
  const sentence = `The archive holds ${file}, which the app does not need: leave it out under "files".`;
  expect(await problemsOf({ files: [...needed, file] })).toEqual([sentence]);
});

it.each(needed)('detects that %s is missing', async (file) => {
  const problems = await problemsOf({ files: needed.filter((each) => each !== file) });
  expect(problems).toEqual([expect.stringMatching(/^The archive holds no file that matches .*: run npm run build/)]);
});

it('detects that the notices of other packages are missing', async () => {
  const sentence = 'THIRD-PARTY-NOTICES.txt is not beside the archive: run npm run build first.';
  expect(await problemsOf({ files: needed, notices: false })).toEqual([sentence]);
});

it('finds files beside the archive, where their integrity is not checked', async () => {
  const unpacked = await problemsOf({ files: needed, unpack: '{main,preload}.cjs' });
  expect(unpacked).toEqual([
    'dist/main/main.cjs is not in the archive itself, so its integrity is not checked: pack it.',
    'dist/preload/preload.cjs is not in the archive itself, so its integrity is not checked: pack it.',
  ]);
  const linked = await problemsOf({ files: needed, links: ['dist/renderer/assets/other.js'] });
  expect(linked).toEqual([expect.stringMatching(/^dist\/renderer\/assets\/other\.js is not in the archive itself/)]);
});
