/**
 * `node electron/packaging/check-package.ts FOLDER…`: checks the fuses and archives of apps extracted from their
 * installers, as users get them.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { checkArchive } from './check-archive.ts';
import { checkFuses, fuseSettings } from './fuses.ts';
import { locateApp } from './locate-app.ts';

/** Returns a sentence for each problem of the app in the folder. Rejects if it cannot be read. */
export async function checkPackage(folder: string): Promise<readonly string[]> {
  const builder = parse(readFileSync(new URL('../../electron-builder.yml', import.meta.url), 'utf8'));
  const { program, archive } = locateApp(folder);
  return [...checkArchive(archive), ...(await checkFuses(program, fuseSettings.parse(builder.electronFuses)))];
}

async function main(folders: readonly string[]): Promise<void> {
  if (folders.length === 0) {
    console.error('Usage: node electron/packaging/check-package.ts FOLDER…');
    process.exitCode = 2;
  }
  for (const folder of folders) {
    const problems = await checkPackage(folder).catch((error: unknown) => [
      error instanceof Error ? error.message : String(error),
    ]);
    if (problems.length === 0) console.log(`${folder}: the fuses and the archive are as they should be.`);
    else process.exitCode = 1;
    for (const problem of problems) console.error(problem);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
