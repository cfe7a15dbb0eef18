/** Moves a file that cannot be read out of the way, so that nothing ever overwrites it. */
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './write-durably.ts';

/** Renames the file to `NAME.unreadable-TIME` beside it, and tells the new path. */
export async function keepAside(path: string, nowMs: number): Promise<string> {
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-');
  const aside = `${path}.unreadable-${stamp}`;
  await rename(path, aside);
  await syncFolder(dirname(path));
  return aside;
}
