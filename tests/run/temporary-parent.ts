/** Chooses the parent of the suites' temporary folders. */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
const neededBytes = 4 * 2 ** 30;

/**
 * Returns a folder in memory if there is room and programs can be run there: the suites wait for thousands of writes to
 * be synced, each of which takes some milliseconds on a disk. Otherwise returns the system's temporary folder.
 */
export function temporaryParent(): string {
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    return bavail * bsize > neededBytes && canRunPrograms(inMemory) ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

function canRunPrograms(folder: string): boolean {
  const program = join(folder, `latchkey-${process.pid}.sh`);
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
  try {
    return spawnSync(program).status === 0;
  } finally {
    rmSync(program);
  }
}
