/** The time at which a scheduled backup was last proven by a restore. */
import type { Executor } from '../database/database.ts';
import { type BackupRow, listBackups } from './backup.repository.ts';

export type BackupState = {
  /** When the newest proven backup was proven; `undefined` if none ever was. */
  readonly provenAtMs: number | undefined;
  /** True if the newest backup failed. */
  readonly hasFailed: boolean;
};

export async function readBackupState(executor: Executor): Promise<BackupState> {
  const backups = await listBackups(executor);
  const [newest] = backups;
  return {
    provenAtMs: findProven(backups)?.proven_at_ms ?? undefined,
    hasFailed: newest !== undefined && newest.problem !== null,
  };
}

/** Returns the newest proven backup of a list that is newest first; `undefined` if there is none. */
export function findProven(backups: readonly BackupRow[]): BackupRow | undefined {
  return backups.find(({ proven_at_ms }) => proven_at_ms !== null);
}
