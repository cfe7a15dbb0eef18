/** Descriptions of update feed versions for commands and the admin page. */
import type { UpdateFeedVersion } from '../../shared/api/admin/updates.ts';
import type { InstallerHashes } from '../../shared/api/installer.ts';
import { installableKinds } from '../../shared/api/update-feed.ts';
import { toIso } from '../clock.ts';
import { type FeedFile, type FeedVersion, isInstallable } from './update-feed.rules.ts';

/** Describes a version for commands: its hashes and files. */
export function describeFeedVersion(
  { version, published_at_ms, files, percent, manifest }: FeedVersion,
  hashes?: InstallerHashes,
) {
  return {
    version,
    hashes: hashes?.hashes ?? {},
    updated_at: hashes?.updated_at ?? toIso(published_at_ms),
    feed: { files: files.map(describeFile), percent, manifest: manifest !== null },
  };
}

/** Describes a version for the admin page. `missing` are the files that this server does not have. */
export function toUpdateFeedVersion(version: FeedVersion, missing: readonly FeedFile[]): UpdateFeedVersion {
  return {
    version: version.version,
    published_at: toIso(version.published_at_ms),
    percent: version.percent,
    manifest: version.manifest !== null,
    files: version.files.map((file) => ({
      ...describeFile(file),
      platform: isInstallable(file.kind) ? installableKinds[file.kind].platform : null,
      missing: missing.includes(file),
    })),
  };
}

function describeFile({ name, bytes, sha256, sha512 }: FeedFile) {
  return { name, bytes, sha256, sha512 };
}
