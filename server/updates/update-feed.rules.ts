/** Decides what the update feed may contain, and which version each channel offers. */
import {
  type InstallableKind,
  installableKinds,
  type UpdateChannel,
  type UpdateFileKind,
  updateFileKinds,
} from '../../shared/api/update-feed.ts';
import { compareVersions, parseVersion } from '../../shared/formats/version.ts';
import type { Tables } from '../database/tables.ts';
import { ApiError } from '../errors.ts';

export type FeedFile = Readonly<Omit<Tables['update_files'], 'version'>>;

/** A version with its files, which are sorted by kind. */
export type FeedVersion = Readonly<Tables['update_versions']> & { readonly files: readonly FeedFile[] };

/**
 * Maximum number of versions kept. Older ones serve for withdrawals, and so that updates from
 * them download only what changed.
 */
export const maxVersions = 10;

const blockMapSuffix = '.blockmap';

/** Name of the manifest: of the newest version directly below `/updates`, and of each version beside its files. */
export const manifestName = 'manifest.jws';

/** Letters and digits of any language, with separators in between; excludes paths and hidden files. */
const namePattern = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._+()@~-]{0,148}[\p{L}\p{M}\p{N})])?$/u;

/** Throws `ApiError` VALIDATION_ERROR for a name that the update feed cannot have. */
export function requireFileName(name: string): void {
  if (name === manifestName) {
    throw new ApiError('VALIDATION_ERROR', `A file named ${manifestName} would stand in the place of the manifest.`);
  }
  if (namePattern.test(name) && encodeURIComponent(name).length <= 190) return;
  throw new ApiError(
    'VALIDATION_ERROR',
    `The update feed cannot have a file named ${JSON.stringify(name)}: use up to 150 letters, digits, spaces and . _ + ( ) @ ~ -`,
  );
}

/** Throws `ApiError` VALIDATION_ERROR if `electron-updater` does not accept the version. */
export function requireFeedVersion(version: string): void {
  if (parseVersion(version) !== null) return;
  throw new ApiError('VALIDATION_ERROR', 'A version in the update feed must be as semver.org says, such as 4.2.0.');
}

/** Compares versions for sorting, newest first. */
export function byVersion(a: Pick<FeedVersion, 'version'>, b: Pick<FeedVersion, 'version'>): number {
  const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
  return left && right ? compareVersions(right, left) : 0;
}

/** Compares files for sorting, by kind and then by name. */
export function byKind(a: Pick<FeedFile, 'kind' | 'name'>, b: Pick<FeedFile, 'kind' | 'name'>): number {
  const difference = updateFileKinds.indexOf(a.kind) - updateFileKinds.indexOf(b.kind);
  if (difference !== 0) return difference;
  return a.name < b.name ? -1 : 1;
}

/** What a channel offers. */
export type Offer = { readonly version: FeedVersion; readonly files: readonly FeedFile[] };

/**
 * Returns the newest version, of the sorted ones, with files for this channel: the platforms of a version may be
 * published one by one. Files that cannot be downloaded are not offered.
 */
export function findOffer(
  versions: readonly FeedVersion[],
  channel: UpdateChannel,
  canDownload: (file: FeedFile) => boolean,
): Offer | undefined {
  for (const version of versions) {
    const files = version.files.filter((file) => channelOf(file.kind) === channel && canDownload(file));
    if (files.length > 0) return { version, files };
  }
  return undefined;
}

function channelOf(kind: UpdateFileKind): UpdateChannel | undefined {
  return isInstallable(kind) ? installableKinds[kind].channel : undefined;
}

export function isInstallable(kind: UpdateFileKind): kind is InstallableKind {
  return kind !== 'block_map';
}

/**
 * Prevents a publication that would go back to an older version, change files that devices may already have, or leave a
 * file without its pair. `versions` are those in the feed. Throws `ApiError` CONFLICT or VALIDATION_ERROR.
 */
export function requirePublishable(
  version: string,
  files: readonly FeedFile[],
  versions: readonly FeedVersion[],
): void {
  const same = versions.find((candidate) => byVersion(candidate, { version }) === 0);
  if (same && same.version !== version) {
    throw new ApiError(
      'CONFLICT',
      `The update feed has ${same.version} already, which devices take for the same version.`,
    );
  }
  const [newest] = versions;
  if (newest && !same && byVersion(newest, { version }) < 0) {
    throw new ApiError(
      'CONFLICT',
      `The update feed offers ${newest.version} already, which is newer. Withdraw it first.`,
    );
  }
  const published = same?.files ?? [];
  for (const file of files) requireUnchanged(version, file, published);
  requireDistinct(files);
  requireBlockedFiles(files, [...published, ...files]);
}

function requireUnchanged(version: string, file: FeedFile, published: readonly FeedFile[]): void {
  const other = published.find(({ name, kind }) => name === file.name || (isInstallable(kind) && kind === file.kind));
  if (!other || (other.name === file.name && other.sha256 === file.sha256 && other.kind === file.kind)) return;
  throw new ApiError(
    'CONFLICT',
    `The update feed has another ${other.name} of ${version} already. Publish the new file as a new version.`,
  );
}

function requireDistinct(files: readonly FeedFile[]): void {
  const names = files.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new ApiError('VALIDATION_ERROR', `Two of the files are named ${repeated}.`);
}

function requireBlockedFiles(files: readonly FeedFile[], all: readonly FeedFile[]): void {
  for (const { name } of files.filter(({ kind }) => kind === 'block_map')) {
    const isPaired = all.some((file) => isInstallable(file.kind) && name === file.name + blockMapSuffix);
    if (isPaired) continue;
    throw new ApiError(
      'VALIDATION_ERROR',
      `${name} is not the block map of a file of this version: that is FILE${blockMapSuffix}.`,
    );
  }
}
