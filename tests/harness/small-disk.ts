/** A small in-memory disk for a test that can be filled or made read-only. */
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mount, unmount } from './mount.ts';
import { temporaryFolder } from './test-admin.ts';

export { canMount, fillDisk, remountDisk } from './mount.ts';

/** Mounts a disk of this user that is removed with the test. */
export function mountDisk(kilobytes: number, { uid = 0, gid = 0 }: { uid?: number; gid?: number } = {}): string {
  const parent = temporaryFolder();
  const folder = join(parent, 'disk');
  mkdirSync(folder);
  chownSync(parent, uid, gid);
  mount(folder, kilobytes, { uid, gid });
  onTestFinished(() => unmount(folder));
  return folder;
}
