/** What `check` says about the data folder: whether it can be written to, and how much space is left on its disk. */
import { existsSync, statfsSync } from 'node:fs';
import type { Config } from '../settings/config.ts';
import { findFolderProblem } from './backup-report.ts';

const mebibyte = 1024 * 1024;
const fullBytes = mebibyte;
const lowBytes = 100 * mebibyte;
/** A backup makes two copies of the database in the data folder. */
const copies = 2;

/** Finds what keeps the server from writing; `freeBytes` is the free space on the disk of the data folder. */
export function findDataFolderProblems({ dataFolder, databaseUrl }: Config, freeBytes = Infinity): string[] {
  // PostgreSQL has its data elsewhere.
  if (databaseUrl !== undefined) return [];
  const unusable = findFolderProblem(dataFolder);
  if (unusable) return [`nothing can be written to LATCHKEY_DATA ${dataFolder}: ${unusable}`];
  return freeBytes < fullBytes ? [`the disk of LATCHKEY_DATA ${dataFolder} is full: free some space`] : [];
}

/** Warns before the disk is full, or too full for a backup of a database of `databaseBytes`. */
export function findSpaceWarnings({ dataFolder }: Config, databaseBytes: number, freeBytes = Infinity): string[] {
  if (freeBytes >= Math.max(lowBytes, copies * databaseBytes)) return [];
  const free = Math.floor(freeBytes / mebibyte);
  return [
    `only ${free} MiB are free on the disk of LATCHKEY_DATA ${dataFolder}: free some space, because writes fail once it is full, and a backup needs space for two copies of the database`,
  ];
}

/** Returns the free space on the disk of the data folder; `undefined` if there is no such folder. */
export function readFreeBytes({ dataFolder }: Config): number | undefined {
  if (!existsSync(dataFolder)) return undefined;
  const { bavail, bsize } = statfsSync(dataFolder);
  return bavail * bsize;
}
