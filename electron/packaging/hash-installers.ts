/**
 * `node electron/packaging/hash-installers.ts FOLDER`: writes `SHA256SUMS-SYSTEM` for the installers in the folder,
 * once they are signed and stapled, and prints it.
 */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeReleaseFile, platformOf } from '../release/release-file.ts';

const installers = '*.{exe,dmg,zip,AppImage,deb}';

/** Resolves with the lines of the file, in the format of `sha256sum --check`. Rejects if there is no installer. */
export async function hashInstallers(folder: string, system: NodeJS.Platform): Promise<readonly string[]> {
  const names = globSync(installers, { cwd: folder }).sort();
  if (names.length === 0) throw new Error(`${folder} holds no installers: run npm run installers first.`);
  const lines = [];
  for (const name of names) {
    const { sha256 } = await describeReleaseFile(join(folder, name), platformOf(name) ?? 'unknown');
    lines.push(`${sha256}  ${name}`);
  }
  writeFileSync(join(folder, `SHA256SUMS-${system}`), `${lines.join('\n')}\n`);
  return lines;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const lines = await hashInstallers(process.argv[2] ?? 'release', process.platform).catch((error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
    return [];
  });
  for (const line of lines) console.log(line);
}
