/** The list of scheduled backups, and the claim of the process that takes one. */
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { Executor, Transaction } from '../database/database.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import type { Tables } from '../database/tables.ts';

export type BackupRow = Selectable<Tables['backups']>;

const claimName = 'backup_claim';
/** What a process holds while it takes a backup; `id` is that of this run. */
const claim = z.object({ id: z.string(), untilMs: z.number() });
type BackupClaim = z.infer<typeof claim>;

export async function readClaim(executor: Executor): Promise<BackupClaim | undefined> {
  const text = await readMeta(executor, claimName);
  return text === undefined || text === '' ? undefined : claim.parse(JSON.parse(text));
}

export function saveClaim(transaction: Transaction, value: BackupClaim | undefined): Promise<void> {
  return saveMeta(transaction, claimName, value ? JSON.stringify(value) : '');
}

/** Lists the backups newest first: those that are kept, and a few failures. */
export function listBackups(executor: Executor): Promise<BackupRow[]> {
  return executor.selectFrom('backups').selectAll().orderBy('id', 'desc').execute();
}

export function findNewestBackup(executor: Executor): Promise<BackupRow | undefined> {
  return executor.selectFrom('backups').selectAll().orderBy('id', 'desc').limit(1).executeTakeFirst();
}

/** Inserts a backup. The caller must hold the lock `backups`. */
export async function insertBackup(transaction: Transaction, backup: Omit<BackupRow, 'id'>): Promise<void> {
  const id = ((await findNewestBackup(transaction))?.id ?? 0) + 1;
  await transaction
    .insertInto('backups')
    .values({ id, ...backup })
    .execute();
}

export async function deleteBackup(transaction: Transaction, id: number): Promise<void> {
  await transaction.deleteFrom('backups').where('id', '=', id).execute();
}
