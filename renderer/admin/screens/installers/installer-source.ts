/** Source to publish for a platform: a file, or a precomputed hash. */
import type { InstallerPlatform } from '../../../../shared/api/installer.ts';
import { normalizeInstallerHash } from '../../../../shared/formats/installer-hash.ts';
import { maxFileBytes } from '../../api/admin-calls.ts';

export const platforms = ['windows_x64', 'macos_arm64', 'linux_amd64'] as const satisfies readonly InstallerPlatform[];

export type InstallerSource =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'hash'; readonly text: string };

export type InstallerSources = Readonly<Partial<Record<InstallerPlatform, InstallerSource>>>;

type SourceProblem = 'emptyFile' | 'tooLarge' | 'malformedHash';

/** Returns why a source cannot be published; `null` if it can. */
export function findProblem(source: InstallerSource): SourceProblem | null {
  if (source.kind === 'hash') return normalizeInstallerHash(source.text) === null ? 'malformedHash' : null;
  if (source.file.size === 0) return 'emptyFile';
  return source.file.size > maxInstallerBytes() ? 'tooLarge' : null;
}

export function maxInstallerBytes(): number {
  return maxFileBytes('compareInstaller');
}

const namePatterns: readonly (readonly [InstallerPlatform, RegExp])[] = [
  ['windows_x64', /\.(?:exe|msix?|appx)$/i],
  ['macos_arm64', /\.(?:dmg|pkg)$/i],
  ['linux_amd64', /\.(?:appimage|deb|rpm|snap|flatpak)$/i],
];

/** Returns the platform suggested by a file name's ending; `null` for ambiguous ones such as `.zip`. */
export function platformOfFile(name: string): InstallerPlatform | null {
  return namePatterns.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

/**
 * Assigns dropped files to platforms: a single file to where it was dropped, several by their names. `null` if the
 * platform of one is unclear, or two are for the same platform.
 */
export function assignFiles(files: readonly File[], droppedOn: InstallerPlatform): InstallerSources | null {
  const [file] = files;
  if (file !== undefined && files.length === 1) return { [droppedOn]: { kind: 'file', file } };
  const sources: Partial<Record<InstallerPlatform, InstallerSource>> = {};
  for (const each of files) {
    const platform = platformOfFile(each.name);
    if (platform === null || sources[platform] !== undefined) return null;
    sources[platform] = { kind: 'file', file: each };
  }
  return sources;
}
