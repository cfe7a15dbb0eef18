/** Reads what the server offers as an update and decides whether this app takes it. Pure. */
import { compareVersions, parseVersion } from '../../shared/formats/version.ts';
import type { UpdateReason } from '../../shared/ipc/updates.ts';
import type { UpdateManifestClaims } from '../../shared/update-manifest.ts';
import type { OfferedFile } from './platform.ts';

/** Content of a channel file of the feed; none of it is signed. */
export type UpdateChannelInfo = {
  readonly version: string;
  /** Percentage of devices that are offered the version. */
  readonly percent: number;
  /** Path of the first file, relative to the channel file and encoded; `null` if it is not below it. */
  readonly path: string | null;
  readonly files: readonly Pick<OfferedFile, 'path' | 'blockMapBytes'>[];
};

const pathPattern = /^path: ((?:[A-Za-z0-9_~!*'()-]|\.(?!\.)|%[0-9A-F]{2})+\/(?:[A-Za-z0-9._~!*'()-]|%[0-9A-F]{2})+)$/m;

const filePattern = /^ {2}- url: (\S{1,500})\n((?: {4}\S.*\n)*)/gm;

/** Returns `null` if the text is not a channel file. Reads the plain scalars that the server writes, one per line. */
export function readUpdateChannel(text: string): UpdateChannelInfo | null {
  const [, version = ''] = /^version: (\S{1,100})$/m.exec(text) ?? [];
  if (!parseVersion(version)) return null;
  const [, percent = '100'] = /^stagingPercentage: (\d{1,3})$/m.exec(text) ?? [];
  const files = [...text.matchAll(filePattern)].map(([, path = '', more = '']) => {
    const [, bytes] = /^ {4}blockMapSize: (\d{1,9})$/m.exec(more) ?? [];
    return { path, blockMapBytes: bytes === undefined ? null : Number(bytes) };
  });
  return { version, percent: Math.min(100, Number(percent)), path: pathPattern.exec(text)?.[1] ?? null, files };
}

/**
 * Returns the signed files of this platform that the channel offers at their place in the feed, in the channel's order.
 */
export function findOffered(
  { files }: UpdateChannelInfo,
  manifest: UpdateManifestClaims,
  platform: string,
): OfferedFile[] {
  return files.flatMap(({ path, blockMapBytes }) => {
    const isIt = (name: string) => path === `${encodeURIComponent(manifest.version)}/${encodeURIComponent(name)}`;
    const signed = manifest.files.find((file) => file.platform === platform && isIt(file.name.toWellFormed()));
    return signed ? [{ ...signed, path, blockMapBytes }] : [];
  });
}

type UpdateQuestion = {
  /** The running version. */
  readonly current: string;
  readonly channel: UpdateChannelInfo | null;
  /** Verified; `null` if the app has no keys to verify one. */
  readonly manifest: UpdateManifestClaims | null;
  /** As in manifests, e.g. `linux_amd64`. */
  readonly platform: string;
  readonly highestSeen: string | null;
  /** This device's random number in [0, 1): if it is below a version's percentage, the version is offered. */
  readonly rolloutFraction: number;
  readonly isManual: boolean;
};

type UpdateDecision = { readonly available: string | null; readonly reason: UpdateReason | null };

/** A manual check ignores the percentage unless it is 0. */
export function decideUpdate(question: UpdateQuestion): UpdateDecision {
  const { current, channel, manifest, platform, highestSeen, rolloutFraction, isManual } = question;
  const none = (reason: UpdateReason): UpdateDecision => ({ available: null, reason });
  const version = manifest?.version ?? channel?.version;
  if (version === undefined || !parseVersion(version)) return none('refused');
  if (highestSeen !== null && isNewer(highestSeen, version) && isNewer(highestSeen, current)) {
    return none('older-than-seen');
  }
  if (!isNewer(version, current)) return none('up-to-date');
  const isForThis = manifest === null || manifest.files.some((file) => file.platform === platform);
  if (!isForThis || channel?.version !== version) return none('not-for-this-platform');
  if (channel.percent === 0) return none('stopped');
  if (!isManual && rolloutFraction * 100 >= channel.percent) return none('not-rolled-out');
  return { available: version, reason: manifest === null ? 'no-keys' : null };
}

/** True if `a` is a later version than `b`; any version is later than an invalid one. */
export function isNewer(a: string, b: string): boolean {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left !== null && (right === null || compareVersions(left, right) > 0);
}
