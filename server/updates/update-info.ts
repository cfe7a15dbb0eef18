/** Writes the channel files of `electron-updater`'s generic provider, such as `latest.yml`. */
import { toIso } from '../clock.ts';
import type { FeedFile, Offer } from './update-feed.rules.ts';

/** Writes a channel file. Each value is a plain YAML scalar: a version, encoded path, base64, number or quoted date. */
export function writeUpdateInfo({ version: { version, percent, released_at_ms }, files }: Offer): string {
  const [first] = files;
  if (!first) throw new TypeError('a channel offers at least one file');
  const lines = [
    `version: ${version}`,
    'files:',
    ...files.flatMap((file) => describeFile(version, file)),
    // Read by electron-updater before version 3.
    `path: ${pathOf(version, first)}`,
    `sha512: ${first.sha512}`,
    `releaseDate: '${toIso(released_at_ms)}'`,
    ...(percent < 100 ? [`stagingPercentage: ${percent}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function describeFile(version: string, file: FeedFile): string[] {
  return [
    `  - url: ${pathOf(version, file)}`,
    `    sha512: ${file.sha512}`,
    `    size: ${file.bytes}`,
    ...(file.block_map_bytes === null ? [] : [`    blockMapSize: ${file.block_map_bytes}`]),
  ];
}

/**
 * Returns the path relative to the channel file. It includes the version, so that no version's files replace another's.
 */
function pathOf(version: string, { name }: FeedFile): string {
  return `${encodeURIComponent(version)}/${encodeURIComponent(name)}`;
}
