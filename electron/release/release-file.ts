/** A file of a release: its platform, its size and its hashes. */
import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { UpdateManifestFile } from '../../shared/update-manifest.ts';
import { ReleaseError } from './release-error.ts';

const chunkBytes = 1024 * 1024;

/** Systems by file extension; a zip is for macOS unless its name says otherwise. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/\.blockmap$/i, ''],
  [/\.(?:exe|msi|appx)$|[-_. ]win(?:dows)?[-_. ](?:.*\.)?zip$/i, 'windows'],
  [/\.(?:AppImage|deb|rpm|snap|pacman|tar\.gz)$|[-_. ]linux[-_. ](?:.*\.)?zip$/i, 'linux'],
  [/\.(?:dmg|pkg|zip)$/i, 'macos'],
];

/** As in electron-builder's file names; a name without an architecture means x64. */
const architectures: readonly (readonly [RegExp, string])[] = [
  [/(?:^|[-_. ])(?:arm64|aarch64)(?=[-_. ])/i, 'arm64'],
  [/(?:^|[-_. ])(?:armv7l|armhf)(?=[-_. ])/i, 'armv7l'],
  [/(?:^|[-_. ])(?:ia32|i386|x86)(?=[-_. ])(?![-_]64)/i, 'ia32'],
  [/(?:^|[-_. ])universal(?=[-_. ])/i, 'universal'],
];

/**
 * Returns `windows_x64`, `macos_arm64`, `linux_amd64`, … for electron-builder's file names; `null` for any other name.
 */
export function platformOf(name: string): string | null {
  const system = systems.find(([pattern]) => pattern.test(name))?.[1];
  if (!system) return null;
  const architecture = architectures.find(([pattern]) => pattern.test(name))?.[1];
  return `${system}_${architecture ?? (system === 'linux' ? 'amd64' : 'x64')}`;
}

/** Reads the file once, whatever its size. Throws `ReleaseError` FILE_UNREADABLE. */
export async function describeReleaseFile(path: string, platform: string): Promise<UpdateManifestFile> {
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')];
  let bytes = 0;
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
      sha256.update(chunk);
      sha512.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ReleaseError('FILE_UNREADABLE', `${path} cannot be read: ${reason}.`);
  }
  if (bytes === 0) throw new ReleaseError('FILE_UNREADABLE', `${path} is empty.`);
  return { name: basename(path), platform, bytes, sha256: sha256.digest('hex'), sha512: sha512.digest('base64') };
}
