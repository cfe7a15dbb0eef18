/** `admin restore`: puts the database and the secrets of a backup in the place of those that are there. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { unpackArchive } from './backup-archive.ts';
import { BackupError } from './backup-error.ts';
import { type BackupManifest, databaseNames, secretsName } from './backup-manifest.ts';
import { lockDatabase } from './database-lock.ts';
import { copyIntoPlace, moveIntoPlace } from './durable-files.ts';
import { inspectSqlite } from './inspect-sqlite.ts';
import { keepAside } from './keep-aside.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

export type RestoreReport = {
  readonly file: string;
  /** When the backup was taken. */
  readonly created_at: string;
  readonly database: 'sqlite';
  readonly database_file: string;
  readonly secrets_file: string;
  /** The folder in which the replaced files are kept; null where there were none. */
  readonly replaced: string | null;
  readonly rows: Readonly<Record<string, number>>;
};

type Request = { config: Config; clock: Clock; file: string };

/**
 * Checks the whole backup before it touches anything.
 * Throws `BackupError` SERVER_RUNNING, NOT_FOUND, BACKUP_DAMAGED, NEWER_VERSION.
 */
export async function restoreBackup({ config, clock, file }: Request): Promise<RestoreReport> {
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockDatabase(config.databaseFile);
  try {
    return await withTemporaryFolder(join(config.dataFolder, '.restore.'), async (folder) => {
      const manifest = await unpackArchive(file, folder);
      await requireGood(file, folder, manifest);
      lock.gather();
      lock.release();
      const replaced = keepAside(config, clock.now());
      putInPlace(config, folder);
      return {
        file,
        created_at: manifest.created_at,
        database: 'sqlite',
        database_file: config.databaseFile,
        secrets_file: config.secretsFile,
        replaced,
        rows: manifest.rows,
      };
    });
  } finally {
    lock.release();
  }
}

async function requireGood(file: string, folder: string, manifest: BackupManifest): Promise<void> {
  const found = await inspectSqlite(join(folder, databaseNames.sqlite), join(folder, secretsName));
  if (found.unknownMigrations.length > 0) {
    const names = found.unknownMigrations.join(', ');
    throw new BackupError(
      'NEWER_VERSION',
      `${file} is of a newer version (it has "${names}"): restore it with that one.`,
    );
  }
  if (found.problems.length > 0 || found.migrations.join() !== manifest.migrations.join()) {
    throw new BackupError(
      'BACKUP_DAMAGED',
      `${file} is damaged: ${found.problems.join('; ') || 'its parts disagree'}.`,
    );
  }
}

/** The secrets first: interrupted between the two, the server refuses to start, and the restore can be repeated. */
function putInPlace(config: Config, folder: string): void {
  mkdirSync(dirname(config.secretsFile), { recursive: true, mode: 0o700 });
  copyIntoPlace(join(folder, secretsName), config.secretsFile);
  moveIntoPlace(join(folder, databaseNames.sqlite), config.databaseFile);
}
