/** Proves a backup: restores it into a temporary folder as an admin would, checks it, and counts its rows. */
import { dirname, join } from 'node:path';
import { byServer } from '../audit/audit-event.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../settings/config.ts';
import { systemRandom } from '../system-random.ts';
import { databaseName, secretsName } from './backup-archive.ts';
import { inspectTables } from './inspection.ts';
import { restoreBackup } from './restore-backup.ts';
import { withSqliteFile } from './sqlite-file.ts';
import { BackupError } from './store.ts';
import type { Proof, WrittenBackup } from './take-backup.ts';
import { withTemporaryFolder } from './work-folder.ts';

/**
 * Creates the proof. The restored database is a SQLite file, like the one in the archive, whatever the backup was taken
 * from.
 */
export function proofBy(config: Config, clock: Clock): Proof {
  return (archive, keys, rows) =>
    withTemporaryFolder(join(dirname(archive), 'restored.'), async (dataFolder) => {
      const databaseFile = join(dataFolder, databaseName);
      const scratch = { dataFolder, databaseFile, databaseUrl: undefined, secretsFile: join(dataFolder, secretsName) };
      await restoreBackup({
        config: { ...config, ...scratch },
        clock,
        random: systemRandom,
        file: archive,
        keys,
        by: byServer,
      }).catch(describeDamage);
      const restored = await withSqliteFile(databaseFile, ({ executor }) => inspectTables(executor));
      requireSameRows(rows, restored.rows);
    });
}

/** The archive has just been written, so what is damaged is most likely the database that it was taken from. */
function describeDamage(error: unknown): never {
  if (!(error instanceof BackupError) || error.code !== 'BACKUP_DAMAGED') throw error;
  const message = `Nothing was written, because the backup could not be restored: ${error.message}`;
  throw new BackupError('CHECK_FAILED', message, { cause: error });
}

/** The restore itself adds one entry to the audit log. */
function requireSameRows(backedUp: WrittenBackup['rows'], restored: WrittenBackup['rows']): void {
  for (const [table, count] of Object.entries(backedUp)) {
    const expected = table === 'audit_events' ? count + 1 : count;
    if (restored[table] === expected) continue;
    const found = `${restored[table] ?? 0} rows of ${table} instead of ${expected}`;
    throw new BackupError('CHECK_FAILED', `The backup was restored, and has ${found}.`);
  }
}
