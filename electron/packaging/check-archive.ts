/**
 * Checks that the app's archive contains what the app needs and nothing else, since a stray file would be shipped to
 * everyone. Also checks for the notices next to it, which electron-builder omits without an error if they were not
 * built.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listPackage, statFile } from '@electron/asar';
import { noticesName } from '../release/third-party-notices.ts';

/** Each file of the archive matches exactly one of these patterns, and each pattern has a file. */
const allowed: readonly RegExp[] = [
  /^package\.json$/,
  /^dist\/main\/main\.cjs$/,
  /^dist\/main\/run-cli\.cjs$/,
  /^dist\/main\/undici\.cjs$/,
  /^dist\/main\/electron-updater\.cjs$/,
  /^dist\/main\/rolldown-runtime\.cjs$/,
  /^dist\/preload\/preload\.cjs$/,
  /^dist\/renderer\/index\.html$/,
  /^dist\/renderer\/assets\/[\w-]+\.js$/,
  /^dist\/renderer\/assets\/[\w-]+\.css$/,
  /^dist\/renderer\/assets\/[\w-]+\.(?:svg|png|woff2)$/,
];

/** Returns a sentence for each problem of the archive. Throws if it cannot be read. */
export function checkArchive(archive: string): readonly string[] {
  const files = listFiles(archive);
  const stray = files.filter((file) => !allowed.some((pattern) => pattern.test(file)));
  const missing = allowed.filter((pattern) => !files.some((file) => pattern.test(file)));
  const outside = files.filter((file) => {
    const entry = statFile(archive, file, false);
    return 'link' in entry || ('unpacked' in entry && entry.unpacked === true);
  });
  const notices = existsSync(join(dirname(archive), noticesName)) ? [] : [noticesName];
  return [
    ...stray.map((file) => `The archive holds ${file}, which the app does not need: leave it out under "files".`),
    ...missing.map((pattern) => `The archive holds no file that matches ${pattern.source}: run npm run build first.`),
    ...outside.map((file) => `${file} is not in the archive itself, so its integrity is not checked: pack it.`),
    ...notices.map((file) => `${file} is not beside the archive: run npm run build first.`),
  ];
}

/** Returns paths with slashes, without folders. */
function listFiles(archive: string): string[] {
  return listPackage(archive, { isPack: false })
    .map((path) => path.replaceAll('\\', '/').replace(/^\//, ''))
    .filter((path) => !('files' in statFile(archive, path, false)));
}
