/** A separate process that holds the write lock of a SQLite file. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export type LockHolder = { release(): Promise<void> };

/** Resolves when the process has the lock. `folder` is for its script; the process is killed when the test ends. */
export async function holdWriteLock(databaseFile: string, folder: string): Promise<LockHolder> {
  const script = join(folder, 'lock-holder.cjs');
  writeFileSync(
    script,
    `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(databaseFile)}, { timeout: 5000 });
    database.exec('begin immediate');
    process.send('locked');
    process.on('message', () => { database.exec('rollback'); database.close(); process.disconnect(); });
    `,
  );
  const child = fork(script);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return {
    async release() {
      child.send('release');
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}
