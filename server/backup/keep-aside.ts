/** Keeps what a restore replaces, in a folder of its own in the data folder. */
import { constants, copyFileSync, existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toIso } from '../clock.ts';
import type { Config } from '../config.ts';
import { syncPath } from './durable-files.ts';

/** Returns the folder, or null where there is nothing to keep. The originals stay, but for the database's log. */
export function keepAside({ databaseFile, secretsFile, dataFolder }: Config, nowMs: number): string | null {
  const logs = [`${databaseFile}-wal`, `${databaseFile}-journal`];
  const kept = [databaseFile, secretsFile, ...logs].filter((path) => existsSync(path));
  if (kept.length === 0) return null;
  const folder = join(dataFolder, `replaced-${toIso(nowMs).replaceAll(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const path of kept) keep(path, join(folder, basename(path)));
  syncPath(folder);
  // A log that stayed would be taken for that of the restored database.
  for (const log of [...logs, `${databaseFile}-shm`]) rmSync(log, { force: true });
  return folder;
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
