/** What the update feed may contain, and which version each channel offers. */
import {
  type InstallableKind,
  installableKinds,
  type UpdateChannel,
  type UpdateFileKind,
  updateFileKinds,
} from '../../shared/api/update-feed.ts';
import { compareVersions, parseVersion } from '../../shared/formats/version.ts';
import { ApiError } from '../errors.ts';

export type FeedFile = {
  readonly name: string;
  readonly kind: UpdateFileKind;
  readonly bytes: number;
  readonly sha256: string;
  readonly sha512: string;
  readonly blockMapBytes: number | undefined;
};

export type FeedVersion = {
  readonly version: string;
  readonly percent: number;
  readonly manifest: string | undefined;
  readonly releasedAtMs: number;
  readonly publishedAtMs: number;
  /** In the order of their kinds. */
  readonly files: readonly FeedFile[];
};

/** How many versions are kept: the older ones for withdrawals, and so that updates from them download only what changed. */
export const maxVersions = 10;

export const blockMapSuffix = '.blockmap';

/** Below `/updates` that of the newest version, and beside the files of each version its own. */
export const manifestName = 'manifest.jws';

/** Letters and digits of any language, and what is between them; so neither a path nor a hidden file. */
const namePattern = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} ._+()@~-]{0,148}[\p{L}\p{M}\p{N})])?$/u;

/** Throws `ApiError` VALIDATION_ERROR. */
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

/** Throws `ApiError` VALIDATION_ERROR for what `electron-updater` does not take as a version. */
export function requireFeedVersion(version: string): void {
  if (parseVersion(version) !== null) return;
  throw new ApiError('VALIDATION_ERROR', 'A version in the update feed must be as semver.org says, such as 4.2.0.');
}

/** The newest first. */
export function byVersion(a: Pick<FeedVersion, 'version'>, b: Pick<FeedVersion, 'version'>): number {
  const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
  return left && right ? compareVersions(right, left) : 0;
}

/** In the order of their kinds, and of their names. */
export function byKind(a: Pick<FeedFile, 'kind' | 'name'>, b: Pick<FeedFile, 'kind' | 'name'>): number {
  const difference = updateFileKinds.indexOf(a.kind) - updateFileKinds.indexOf(b.kind);
  if (difference !== 0) return difference;
  return a.name < b.name ? -1 : 1;
}

/** What a channel offers. */
export type Offer = { readonly version: FeedVersion; readonly files: readonly FeedFile[] };

/**
 * The newest of the versions, which are sorted, that has files for this channel: platforms of a version may be published one
 * by one. What cannot be downloaded is not offered.
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
 * What publishing these files of a version must not do: go back to an older version, change bytes that devices may have
 * already, or leave a file without its pair. `versions` are those in the feed. Throws `ApiError` CONFLICT or VALIDATION_ERROR.
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
