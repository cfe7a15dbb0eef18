/** `admin restore`: puts the database and the secrets of a backup in the place of those that are there. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFileWithCopy, syncPath } from '../atomic-write.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Config } from '../config.ts';
import { unpackArchive } from './backup-archive.ts';
import { BackupError } from './backup-error.ts';
import { type BackupManifest, databaseName, secretsName } from './backup-manifest.ts';
import { inspectSqlite } from './inspect-sqlite.ts';
import { openStore } from './open-store.ts';
import type { HeldStore, Location, Store } from './store.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

export type RestoreReport = Location & {
  readonly file: string;
  /** When the backup was taken. */
  readonly created_at: string;
  readonly database: Store['kind'];
  readonly secrets_file: string;
  /** The folder in which what was replaced is kept, usable as a data folder; null where there was nothing. */
  readonly replaced: string | null;
  readonly rows: Readonly<Record<string, number>>;
};

type Request = { config: Config; clock: Clock; file: string };

/**
 * Checks the whole backup before it touches anything. A backup of either kind of database can be restored to either.
 * Throws `BackupError` SERVER_RUNNING, NOT_FOUND, BACKUP_DAMAGED, NEWER_VERSION, OTHER_DATABASE.
 */
export async function restoreBackup({ config, clock, file }: Request): Promise<RestoreReport> {
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const store = openStore(config);
  const held = await store.hold();
  try {
    return await withTemporaryFolder(join(config.dataFolder, '.restore.'), async (folder) => {
      const manifest = await unpackArchive(file, folder);
      await requireGood(file, folder, manifest);
      const replaced = await keepAside(config, held, clock.now());
      await held.replaceWith(join(folder, databaseName), () => putSecrets(config, join(folder, secretsName)));
      return {
        file,
        created_at: manifest.created_at,
        database: store.kind,
        ...store.location,
        secrets_file: config.secretsFile,
        replaced,
        rows: manifest.rows,
      };
    });
  } finally {
    await held.release();
  }
}

async function requireGood(file: string, folder: string, manifest: BackupManifest): Promise<void> {
  const found = await inspectSqlite(join(folder, databaseName), join(folder, secretsName));
  if (found.unknownMigrations.length > 0) {
    const names = found.unknownMigrations.join(', ');
    const message = `${file} is of a newer version (it has "${names}"): restore it with that one.`;
    throw new BackupError('NEWER_VERSION', message);
  }
  if (found.problems.length > 0 || found.migrations.join() !== manifest.migrations.join()) {
    const problems = found.problems.join('; ') || 'its parts disagree';
    throw new BackupError('BACKUP_DAMAGED', `${file} is damaged: ${problems}.`);
  }
}

async function keepAside({ dataFolder, secretsFile }: Config, held: HeldStore, nowMs: number): Promise<string | null> {
  if (!held.isThere && !existsSync(secretsFile)) return null;
  const folder = join(dataFolder, `replaced-${toIso(nowMs).replaceAll(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  if (held.isThere) await held.keepIn(folder);
  if (existsSync(secretsFile)) copyFileSync(secretsFile, join(folder, secretsName));
  syncPath(folder);
  return folder;
}

/** Before the database: interrupted between the two, the server refuses to start, and the restore can be repeated. */
function putSecrets({ secretsFile }: Config, from: string): void {
  mkdirSync(dirname(secretsFile), { recursive: true, mode: 0o700 });
  replaceFileWithCopy(from, secretsFile);
}
