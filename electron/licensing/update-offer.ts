/** What the server offers as an update, and whether this app takes it. Pure. */
import { compareVersions, parseVersion } from '../../shared/formats/version.ts';
import type { UpdateReason } from '../../shared/ipc/updates.ts';
import type { UpdateManifestClaims } from '../../shared/update-manifest.ts';
import type { OfferedFile } from './platform.ts';

/** What a channel file of the feed says; none of it is signed. */
export type UpdateChannelInfo = {
  readonly version: string;
  /** How many of 100 devices are offered the version. */
  readonly percent: number;
  /** Of the first file, relative to the channel file and encoded; `null` if it is not below it. */
  readonly path: string | null;
  readonly files: readonly Pick<OfferedFile, 'path' | 'blockMapBytes'>[];
};

const pathPattern = /^path: ((?:[A-Za-z0-9_~!*'()-]|\.(?!\.)|%[0-9A-F]{2})+\/(?:[A-Za-z0-9._~!*'()-]|%[0-9A-F]{2})+)$/m;

const filePattern = /^ {2}- url: (\S{1,500})\n((?: {4}\S.*\n)*)/gm;

/** `null` for a text that is no channel file. Reads the plain scalars that the server writes, one on each line. */
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

/** The files of that platform that are signed and that the channel offers where the feed has them, in its order. */
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

export type UpdateQuestion = {
  /** The version that runs. */
  readonly current: string;
  readonly channel: UpdateChannelInfo | null;
  /** Verified; `null` where the app has no keys to verify one with. */
  readonly manifest: UpdateManifestClaims | null;
  /** As manifests name it, such as `linux_amd64`. */
  readonly platform: string;
  readonly highestSeen: string | null;
  /** Of this device, in [0, 1): those below the percentage of a version are offered it. */
  readonly rolloutFraction: number;
  readonly isManual: boolean;
};

export type UpdateDecision = { readonly available: string | null; readonly reason: UpdateReason | null };

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

/** Whether `a` comes after `b`; what is no version comes after none. */
export function isNewer(a: string, b: string): boolean {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  return left !== null && (right === null || compareVersions(left, right) > 0);
}
