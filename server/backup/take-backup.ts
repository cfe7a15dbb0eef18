/** `admin backup`: the database and its secrets in one file, also while the server runs. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, toIso } from '../clock.ts';
import type { Config } from '../config.ts';
import { hashFile } from '../hash-file.ts';
import { packArchive } from './backup-archive.ts';
import { BackupError } from './backup-error.ts';
import { databaseNames, secretsName } from './backup-manifest.ts';
import { moveIntoEmptyPlace, moveIntoPlace } from './durable-files.ts';
import { inspectSqlite } from './inspect-sqlite.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

export type BackupReport = {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created_at: string;
  readonly database: 'sqlite';
  /** How many rows of each table it holds. */
  readonly rows: Readonly<Record<string, number>>;
};

type Request = { config: Config; clock: Clock; file: string; force: boolean };

/**
 * Writes the backup beside `file` and then moves it there, for its owner alone.
 * Throws `BackupError` FILE_EXISTS without `force`, NOT_FOUND where there is nothing to back up or no such folder,
 * CHECK_FAILED for a database that could not be restored from, NEWER_VERSION.
 */
export async function takeBackup(request: Request): Promise<BackupReport> {
  refuseEarly(request);
  const { config, clock, file, force } = request;
  return withTemporaryFolder(join(dirname(file), `.${basename(file)}.`), async (folder) => {
    const createdAt = toIso(clock.now());
    copyDatabase(config.databaseFile, join(folder, databaseNames.sqlite));
    writeFileSync(join(folder, secretsName), readFileSync(config.secretsFile), { mode: 0o600 });
    const { rows, migrations } = await requireRestorable(folder);
    const archive = await packArchive(folder, { created_at: createdAt, dialect: 'sqlite', migrations, rows });
    const sha256 = await hashFile(archive);
    const { size } = statSync(archive);
    (force ? moveIntoPlace : moveIntoEmptyPlace)(archive, file);
    return { file, bytes: size, sha256, created_at: createdAt, database: 'sqlite', rows };
  });
}

function refuseEarly({ config, file, force }: Request): void {
  if (existsSync(file) && !force) {
    throw new BackupError('FILE_EXISTS', `${file} exists already: name another file, or say --force to replace it.`);
  }
  if (!existsSync(dirname(file))) throw new BackupError('NOT_FOUND', `There is no folder ${dirname(file)}.`);
  for (const needed of [config.databaseFile, config.secretsFile]) {
    if (!existsSync(needed)) throw new BackupError('NOT_FOUND', `There is nothing to back up: ${needed} is missing.`);
  }
}

/** What is committed at this moment, by a reader that holds up no writer; `VACUUM INTO` fills an empty file. */
function copyDatabase(from: string, to: string): void {
  writeFileSync(to, '', { mode: 0o600 });
  const connection = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    connection.prepare('vacuum into ?').run(to);
  } finally {
    connection.close();
  }
}

async function requireRestorable(folder: string): Promise<{ rows: Record<string, number>; migrations: string[] }> {
  const found = await inspectSqlite(join(folder, databaseNames.sqlite), join(folder, secretsName));
  if (found.unknownMigrations.length > 0) {
    throw new BackupError('NEWER_VERSION', 'The database is of a newer version: back it up with that one.');
  }
  if (found.problems.length > 0) {
    throw new BackupError(
      'CHECK_FAILED',
      `Nothing was written, for the backup could not be used: ${found.problems.join('; ')}.`,
    );
  }
  return found;
}
