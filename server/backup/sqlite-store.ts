/** A SQLite file as a store. */
import { constants, copyFileSync, existsSync, linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { replaceFile, syncPath } from '../atomic-write.ts';
import { BackupError } from './backup-error.ts';
import { lockDatabase } from './database-lock.ts';
import { inspectSqlite } from './inspect-sqlite.ts';
import type { HeldStore, Store } from './store.ts';

export function createSqliteStore(path: string): Store {
  const requireThere = () => {
    if (!existsSync(path)) throw new BackupError('NOT_FOUND', `There is no database at ${path}.`);
  };
  return {
    kind: 'sqlite',
    location: { database_file: path },
    async copyTo(file) {
      requireThere();
      copyDatabase(path, file);
    },
    async inspect(secretsFile) {
      requireThere();
      return { ...(await inspectSqlite(path, secretsFile)), bytes: statSync(path).size };
    },
    hold: async () => holdFile(path),
  };
}

/** By a reader that holds up no writer; `VACUUM INTO` fills an empty file. */
function copyDatabase(from: string, to: string): void {
  writeFileSync(to, '', { mode: 0o600 });
  const connection = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    connection.prepare('vacuum into ?').run(to);
  } finally {
    connection.close();
  }
}

function holdFile(path: string): HeldStore {
  const lock = lockDatabase(path);
  const logs = [`${path}-wal`, `${path}-journal`];
  return {
    isThere: existsSync(path),
    async keepIn(folder) {
      lock.gather();
      // What the lock itself keeps beside the file goes with it.
      lock.release();
      for (const file of [path, ...logs].filter((name) => existsSync(name))) keep(file, join(folder, basename(file)));
    },
    async replaceWith(file, putSecrets) {
      // Windows does not let a file be replaced that is open.
      lock.release();
      // A log that stayed would be taken for that of the restored database.
      for (const log of [...logs, `${path}-shm`]) rmSync(log, { force: true });
      putSecrets();
      replaceFile(file, path);
    },
    release: async () => lock.release(),
  };
}

/** By a second name where the disk knows such, which takes no space and no time. */
function keep(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
    syncPath(to);
  }
}
