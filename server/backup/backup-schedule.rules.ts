/** Decides when a backup is due, which process takes it, how its file is named, and which ones are deleted. */
import { toIso } from '../clock.ts';

type LastBackup = { readonly startedAtMs: number; readonly failed: boolean };

/** How long a claim lasts; it is renewed three times as often. After a crash, the next backup waits this long. */
export const claimMs = 30_000;
const retryMs = 10 * 60 * 1000;
const slowestTickMs = 60_000;

/** Returns how often a process checks whether a backup is due. */
export function tickMs(everyMs: number): number {
  return Math.min(slowestTickMs, everyMs / 4);
}

/**
 * Returns true if the claim holds. One that ends later than any process could have made it comes from a wrong clock and
 * is ignored.
 */
export function isClaimed(claim: { readonly untilMs: number } | undefined, nowMs: number): boolean {
  return claim !== undefined && claim.untilMs > nowMs && claim.untilMs <= nowMs + claimMs;
}

/**
 * Returns true if a backup is due. A failed one is retried after 10 minutes. A clock set back by more than the interval
 * does not stop backups.
 */
export function isDue(last: LastBackup | undefined, everyMs: number, nowMs: number): boolean {
  if (last === undefined) return true;
  const intervalMs = last.failed ? Math.min(everyMs, retryMs) : everyMs;
  return Math.abs(nowMs - last.startedAtMs) >= intervalMs;
}

export function nameBackup(startedAtMs: number, { isEncrypted }: { readonly isEncrypted: boolean }): string {
  return `latchkey-${toIso(startedAtMs).replaceAll(/[:.]/g, '-')}.${isEncrypted ? 'tar.age' : 'tar'}`;
}

const namePattern = /^latchkey-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.tar(?:\.age)?$/;

/** Returns true for the name of a scheduled backup. */
export function isBackupName(name: string): boolean {
  return namePattern.test(name);
}

/** Returns the names of the newest `keep` backups, which are never deleted, among the names of all files. */
export function chooseNewest(names: readonly string[], keep: number): string[] {
  return names.filter(isBackupName).toSorted().slice(-Math.max(1, keep));
}

type StoredBackup = { readonly id: number; readonly proven: boolean };

/** Number of failures that are listed. */
const keptFailures = 10;

/**
 * Returns the backups to delete: the newest `keep` proven ones stay, plus a few failures. `backups` must be newest
 * first.
 */
export function choosePruned<T extends StoredBackup>(backups: readonly T[], keep: number): T[] {
  const proven = backups.filter((backup) => backup.proven);
  const failed = backups.filter((backup) => !backup.proven);
  return [...proven.slice(Math.max(1, keep)), ...failed.slice(keptFailures)];
}
