/** File operations that a power failure leaves either undone or done. */
import { chmodSync, copyFileSync, linkSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncPath } from '../whole-file.ts';
import { BackupError } from './backup-error.ts';

/** Puts a finished file, for its owner alone, at its place, over whatever is there. */
export function moveIntoPlace(from: string, to: string): void {
  chmodSync(from, 0o600);
  syncPath(from);
  renameSync(from, to);
  syncPath(dirname(to));
}

/** The same where nothing may be there yet. Throws `BackupError` FILE_EXISTS. */
export function moveIntoEmptyPlace(from: string, to: string): void {
  chmodSync(from, 0o600);
  syncPath(from);
  try {
    linkSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new BackupError('FILE_EXISTS', `${to} exists already.`);
  }
  unlinkSync(from);
  syncPath(dirname(to));
}

/** Like `moveIntoPlace` by way of a copy, for a place that may be on another disk. */
export function copyIntoPlace(from: string, to: string): void {
  const beside = `${to}.${process.pid}.new`;
  copyFileSync(from, beside);
  moveIntoPlace(beside, to);
}
