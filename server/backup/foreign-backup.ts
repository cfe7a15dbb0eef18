/** Prevents a restore from making a stranger an owner: a backup of another server is restored only on request. */
import { join } from 'node:path';
import { toPrintable } from '../../shared/formats/printable.ts';
import type { Executor } from '../database/database.ts';
import { haveCommonKey, readIfSound, StoredSecrets, secretsBelongTo } from '../secrets/secrets.ts';
import type { Config } from '../settings/config.ts';
import { databaseName, secretsName } from './backup-archive.ts';
import { listTables } from './inspection.ts';
import { withSqliteFile } from './sqlite-file.ts';
import { BackupError, type LockedStore } from './store.ts';

/** Returns the email addresses of the owners in the unpacked backup, sorted. */
export function readOwners(folder: string): Promise<string[]> {
  return withSqliteFile(join(folder, databaseName), async ({ executor }) => {
    const tables = await listTables(executor);
    return tables.includes('staff') ? listOwners(executor) : [];
  });
}

async function listOwners(executor: Executor): Promise<string[]> {
  const rows = await executor
    .selectFrom('staff')
    .innerJoin('users', 'users.id', 'staff.user_id')
    .where('staff.role', '=', 'owner')
    .select('users.email')
    .orderBy('users.email')
    .execute();
  return rows.map(({ email }) => email);
}

/**
 * Returns true if the unpacked backup is from another server than the current data, which means that their secrets have
 * no key in common. If the current secrets are lost, the current database tells whether the secrets of the backup
 * belong to it. Without either, as on a new machine, no backup is foreign.
 */
export async function isForeign({ secretsFile }: Config, locked: LockedStore, folder: string): Promise<boolean> {
  const secrets = new StoredSecrets(join(folder, secretsName));
  const present = readIfSound(secretsFile);
  if (present) return !haveCommonKey(present, secrets.content);
  if (!locked.exists) return false;
  try {
    return !(await locked.read((executor) => secretsBelongTo(executor, secrets)));
  } catch (error) {
    if (error instanceof BackupError && error.code === 'OTHER_DATABASE') throw error;
    // A damaged database may be the reason for the restore, and it cannot be read which installation it belongs to.
    return false;
  }
}

const namedOwners = 10;

/** Returns the error `FOREIGN_BACKUP`, naming the owners. */
export function refuseForeign(file: string, owners: readonly string[]): BackupError {
  const others = owners.length - namedOwners;
  const named = owners.slice(0, namedOwners).map(toPrintable).join(', ') + (others > 0 ? ` and ${others} others` : '');
  const consequence =
    owners.length === 0
      ? 'It has no owners, so anyone who opens the link for the first admin would become one.'
      : `It would make these accounts owners: ${named}.`;
  return new BackupError(
    'FOREIGN_BACKUP',
    `${file} is a backup of another server: it has no secrets in common with the present data. ${consequence} ` +
      'If that is what you want, restore it with --foreign.',
  );
}
