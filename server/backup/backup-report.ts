/** What `check` reports about scheduled backups. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { toIso, toIsoOrNull } from '../clock.ts';
import { messageOf } from '../errors.ts';
import { hashFile } from '../hash-file.ts';
import type { Config } from '../settings/config.ts';
import type { BackupRow } from './backup.repository.ts';
import { findProven } from './last-proven.ts';

export type ListedBackup = ReturnType<typeof toListedBackup>;

export function toListedBackup(row: BackupRow) {
  const { id, file, bytes, sha256, encryption, problem } = row;
  return {
    id,
    created_at: toIso(row.started_at_ms),
    file,
    bytes,
    sha256,
    encryption,
    rows: row.row_count,
    /** When it had been restored for comparison and proven complete; null if it failed. */
    proven_at: toIsoOrNull(row.proven_at_ms),
    /** Why it failed. */
    problem,
  };
}

type Backups = readonly BackupRow[];

/**
 * Finds problems with the backups. Reads the newest proven backup to see whether it has changed since it was proven.
 */
export async function findBackupProblems(
  { dataFolder, backups: { everyMs, folder } }: Config,
  backups: Backups,
): Promise<string[]> {
  const problems: string[] = [];
  const [newest] = backups;
  if (newest && newest.problem !== null) {
    problems.push(`the backup of ${toIso(newest.started_at_ms)} failed: ${newest.problem}`);
  }
  const proven = findProven(backups);
  if (proven && existsSync(proven.file) && !(await isUnchanged(proven))) {
    problems.push(`the newest backup, ${proven.file}, was changed or damaged after it was proven: do not rely on it`);
  }
  for (const needed of everyMs === undefined ? [] : [dataFolder, folder]) {
    const unusable = findFolderProblem(needed);
    if (unusable) problems.push(`no backup can be written to ${needed}: ${unusable}`);
  }
  return problems;
}

/** Number of intervals that may pass before a backup is late. */
const lateAfterIntervals = 2;
const lateAfterMs = 5 * 60 * 1000;

export function findBackupWarnings({ backups: { everyMs } }: Config, backups: Backups, nowMs: number): string[] {
  const proven = findProven(backups);
  const warnings: string[] = [];
  if (proven && !existsSync(proven.file)) {
    warnings.push(`the newest backup, ${proven.file}, is no longer there: check that it was moved on purpose`);
  }
  if (everyMs === undefined) return warnings;
  const late = Math.max(lateAfterMs, lateAfterIntervals * everyMs);
  if (proven?.proven_at_ms === undefined || proven.proven_at_ms === null) {
    warnings.push('no backup was proven yet: start the server, and look into its log if that does not help');
  } else if (nowMs - proven.proven_at_ms > late) {
    warnings.push(`no backup was proven since ${toIso(proven.proven_at_ms)}: check that the server runs, and its log`);
  }
  return warnings;
}

/** Reads regular files only: others, which the list may name as well, might never end. */
async function isUnchanged({ file, bytes, sha256 }: BackupRow): Promise<boolean> {
  try {
    const found = statSync(file);
    return found.isFile() && found.size === bytes && (await hashFile(file)) === sha256;
  } catch {
    return false;
  }
}

/** Returns why the folder, or the one that it would be created in, cannot be written to. */
export function findFolderProblem(folder: string): string | undefined {
  if (!existsSync(folder))
    return dirname(folder) === folder ? 'there is no such folder' : findFolderProblem(dirname(folder));
  if (!statSync(folder).isDirectory()) return `${folder} is not a folder`;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
