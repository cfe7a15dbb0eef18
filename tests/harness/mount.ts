/** In-memory disks that can be filled or made read-only. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Only root can mount, and not in every container. */
export const canMount = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;
})();

/** Mounts a disk of a user, by default root, on an existing folder. */
export function mount(folder: string, kilobytes: number, { uid = 0, gid = 0 } = {}): void {
  const options = `size=${kilobytes}k,mode=0700,uid=${uid},gid=${gid}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder]);
}

/** Unmounts it once nothing uses it any more. */
export function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}

/** Fills the disk except for this many bytes; returns the file that takes up the space. */
export function fillDisk(folder: string, leaveBytes: number): string {
  const file = join(folder, 'ballast');
  for (;;) {
    const { bavail, bsize } = statfsSync(folder);
    try {
      writeFileSync(file, Buffer.alloc(bavail * bsize - leaveBytes));
      return file;
    } catch (error) {
      // A program that uses the disk has written something meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      rmSync(file);
    }
  }
}

/** Makes the disk read-only or writable. */
export function remountDisk(folder: string, mode: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${mode}`, folder]);
}
