/** What `check` says about the data folder: whether it can be written to, and how much space is left on its disk. */
import { statfsSync } from 'node:fs';
import type { Config } from '../settings/config.ts';
import { findFolderProblem } from './backup-report.ts';

const mebibyte = 1024 * 1024;
const fullBytes = mebibyte;
const lowBytes = 100 * mebibyte;
/** Maximum number of copies of the database that exist in the data folder at the same time during a backup. */
export const backupCopies = 2;

/** True if the disk of a database in the data folder is full. */
export function isDiskFull({ databaseUrl }: Config, freeBytes: number): boolean {
  return databaseUrl === undefined && freeBytes < fullBytes;
}

/** Finds what keeps the server from writing; `freeBytes` is the free space on the disk of the data folder. */
export function findDataFolderProblems(config: Config, freeBytes: number): string[] {
  const { dataFolder, databaseUrl } = config;
  // PostgreSQL has its data elsewhere.
  if (databaseUrl !== undefined) return [];
  const unusable = findFolderProblem(dataFolder);
  if (unusable) return [`nothing can be written to LATCHKEY_DATA ${dataFolder}: ${unusable}`];
  return isDiskFull(config, freeBytes) ? [`the disk of LATCHKEY_DATA ${dataFolder} is full: free some space`] : [];
}

/** Warns before the disk is full, or too full for a backup of a database of `databaseBytes`. */
export function findSpaceWarnings({ dataFolder }: Config, databaseBytes: number, freeBytes: number): string[] {
  if (freeBytes >= Math.max(lowBytes, backupCopies * databaseBytes)) return [];
  const free = Math.floor(freeBytes / mebibyte);
  return [
    `only ${free} MiB are free on the disk of LATCHKEY_DATA ${dataFolder}: free some space, because writes fail once it is full, and a backup needs space for two copies of the database`,
  ];
}

/** Returns the free space on the disk of a folder, in bytes. */
export function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
