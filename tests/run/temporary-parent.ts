/** Where the suites have their temporary folders. */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
const neededBytes = 4 * 2 ** 30;

/**
 * In memory where there is room and programs can be run: the suites wait for thousands of writes to be on the disk, each
 * for some milliseconds. Otherwise the folder of the system.
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
