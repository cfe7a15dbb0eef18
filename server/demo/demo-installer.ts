/** The installer of the demo: a file of a few MB with fixed content, and a copy with one bit changed. */
import { createCipheriv, hash } from 'node:crypto';
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallerPlatform } from '../../shared/api/installer.ts';
import { createFolder } from '../create-folder.ts';

const version = '4.2.0';
const bytes = 6 * 1024 * 1024;
const heading = 'This file stands for an installer, so that the verification can be tried. It installs nothing.\n';

export type DemoInstaller = {
  readonly version: string;
  readonly platform: InstallerPlatform;
  /** The hash of the genuine file. */
  readonly hash: string;
  readonly file: string;
  readonly tamperedFile: string;
};

type Build = { readonly platform: InstallerPlatform; readonly ending: string };

const linuxBuild: Build = { platform: 'linux_amd64', ending: 'linux-amd64.AppImage' };
const builds: Readonly<Record<string, Build>> = {
  darwin: { platform: 'macos_arm64', ending: 'macos-arm64.dmg' },
  win32: { platform: 'windows_x64', ending: 'windows-x64.exe' },
};

/** Writes both files unless they already have the right content. `system` is a value of `process.platform`. */
export function writeDemoInstaller(folder: string, system: string): DemoInstaller {
  const { platform, ending } = builds[system] ?? linuxBuild;
  const genuine = createContent();
  const tampered = Buffer.from(genuine);
  const changedAt = Math.floor(bytes / 2);
  tampered.writeUInt8(genuine.readUInt8(changedAt) ^ 1, changedAt);
  const file = join(folder, `Latchkey-${version}-${ending}`);
  const tamperedFile = join(folder, `Latchkey-${version}-tampered-${ending}`);
  createFolder(folder);
  writeUnlessEqual(file, genuine);
  writeUnlessEqual(tamperedFile, tampered);
  return { version, platform, hash: `sha256:${hash('sha256', genuine)}`, file, tamperedFile };
}

/**
 * Creates the content from the AES key stream under an all-zero key: always the same, and incompressible like an
 * installer.
 */
function createContent(): Buffer {
  const zeros = Buffer.alloc(16);
  const stream = createCipheriv('aes-128-ctr', zeros, zeros).update(Buffer.alloc(bytes - heading.length));
  return Buffer.concat([Buffer.from(heading), stream]);
}

function writeUnlessEqual(path: string, content: Buffer): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === bytes && readFileSync(path).equals(content)) return;
  const temporaryPath = `${path}.${process.pid}.new`;
  writeFileSync(temporaryPath, content);
  renameSync(temporaryPath, path);
}
