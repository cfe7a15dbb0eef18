/** Decides when a backup is due, who takes it, and which ones are deleted. */

/** The process that takes a backup says so for as long as it does. */
export type BackupClaim = {
  /** Of this run. */
  readonly id: string;
  readonly untilMs: number;
};

export type LastBackup = { readonly startedAtMs: number; readonly failed: boolean };

/** How long a claim holds; it is renewed three times as often. After a crash the next backup waits for so long. */
export const claimMs = 30_000;
const retryMs = 10 * 60 * 1000;
const slowestTickMs = 60_000;

/** How often a process looks whether a backup is due. */
export function tickMs(everyMs: number): number {
  return Math.min(slowestTickMs, everyMs / 4);
}

/** A claim that ends later than any process could have made it is of a clock that was wrong. */
export function isClaimed(claim: BackupClaim | undefined, nowMs: number): boolean {
  return claim !== undefined && claim.untilMs > nowMs && claim.untilMs <= nowMs + claimMs;
}

/** A failed one is tried again after 10 minutes. A clock that was set back by more than the interval does not stop backups. */
export function isDue(last: LastBackup | undefined, everyMs: number, nowMs: number): boolean {
  if (last === undefined) return true;
  const intervalMs = last.failed ? Math.min(everyMs, retryMs) : everyMs;
  return Math.abs(nowMs - last.startedAtMs) >= intervalMs;
}

export type StoredBackup = { readonly id: number; readonly proven: boolean };

/** How many failures are listed. */
const keptFailures = 10;

/** The ones to delete: `keep` proven ones stay, the newest first, and a few failures. `backups` begins with the newest. */
export function choosePruned<T extends StoredBackup>(backups: readonly T[], keep: number): T[] {
  const proven = backups.filter((backup) => backup.proven);
  const failed = backups.filter((backup) => !backup.proven);
  return [...proven.slice(Math.max(1, keep)), ...failed.slice(keptFailures)];
}
