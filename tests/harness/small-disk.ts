/** A small in-memory disk for a test that can be filled or made read-only. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './test-admin.ts';

/** Only root can mount, and not in every container. */
export const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
})();

/** Mounts a disk of this user that is removed with the test. */
export function mountDisk(kilobytes: number, { uid = 0, gid = 0 }: { uid?: number; gid?: number } = {}): string {
  const parent = temporaryFolder();
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  chownSync(parent, uid, gid);
  const options = `size=${kilobytes}k,mode=0700,uid=${uid},gid=${gid}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]);
  onTestFinished(() => void spawnSync('umount', ['--lazy', folder]));
  return folder;
}

/** Fills the disk except for this many bytes; returns the file that takes up the space. */
export function fillDisk(folder: string, leaveBytes: number): string {
  const { bavail, bsize } = statfsSync(folder);
  const file = join(folder, 'ballast');
  writeFileSync(file, Buffer.alloc(bavail * bsize - leaveBytes));
  return file;
}

/** Makes the disk read-only or writable. */
export function remountDisk(folder: string, mode: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${mode}`, folder]);
}
