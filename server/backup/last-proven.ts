/** When a backup of the schedule was last proven by a restore. */
import type { Executor } from '../database/database.ts';
import { type BackupRow, listBackups } from './backup.repository.ts';

export type BackupState = {
  /** `undefined` if none ever was. */
  readonly provenAtMs: number | undefined;
  /** Whether the newest one failed. */
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

/** The newest that was proven; `undefined` if none ever was. They are listed newest first. */
export function findProven(backups: readonly BackupRow[]): BackupRow | undefined {
  return backups.find(({ proven_at_ms }) => proven_at_ms !== null);
}
