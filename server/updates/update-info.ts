/** Writes the channel files of `electron-updater`'s generic provider, such as `latest.yml`. */
import { toIso } from '../clock.ts';
import type { FeedFile, Offer } from './update-feed.rules.ts';

/** Every value is a plain scalar of YAML: versions, encoded paths, base64, numbers and a quoted date. */
export function writeUpdateInfo({ version: { version, percent, releasedAtMs }, files }: Offer): string {
  const [first] = files;
  if (!first) throw new TypeError('a channel offers at least one file');
  const lines = [
    `version: ${version}`,
    'files:',
    ...files.flatMap((file) => describeFile(version, file)),
    // What versions of electron-updater before 3 read.
    `path: ${pathOf(version, first)}`,
    `sha512: ${first.sha512}`,
    `releaseDate: '${toIso(releasedAtMs)}'`,
    ...(percent < 100 ? [`stagingPercentage: ${percent}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function describeFile(version: string, file: FeedFile): string[] {
  return [
    `  - url: ${pathOf(version, file)}`,
    `    sha512: ${file.sha512}`,
    `    size: ${file.bytes}`,
    ...(file.blockMapBytes === undefined ? [] : [`    blockMapSize: ${file.blockMapBytes}`]),
  ];
}

/** Relative to the channel file. The version is part of it, so that no version takes the place of another's files. */
function pathOf(version: string, { name }: FeedFile): string {
  return `${encodeURIComponent(version)}/${encodeURIComponent(name)}`;
}
