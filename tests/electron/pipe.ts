/**
 * A named pipe that nobody else has open. At the end of the test it is opened both ways, which releases any waiting
 * reader.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

export function createPipe(path = join(temporaryFolder(), 'pipe')): string {
  execFileSync('mkfifo', [path]);
  onTestFinished(() => {
    try {
      closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
    } catch {
      // Nobody waits for it.
    }
  });
  return path;
}
