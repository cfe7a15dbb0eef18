/** The command `backup`: writes the database and its secrets into one file, also while the server runs. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AuditContext } from '../audit/audit-event.ts';
import { EntryWriter } from '../audit/entry-writer.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Config } from '../config.ts';
import { hashFile } from '../hash-file.ts';
import type { Random } from '../random.ts';
import { databaseName, packArchive, secretsName, withTemporaryFolder } from './backup-archive.ts';
import { type Inspection, inspectSqlite } from './inspection.ts';
import { openStore } from './open-store.ts';
import { moveToOutput, type OutputFile, requireOutput } from './output-file.ts';
import { BackupError, type Store } from './store.ts';

export type BackupReport = {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created_at: string;
  readonly database: Store['kind'];
  /** How many rows of each table it contains. */
  readonly rows: Readonly<Record<string, number>>;
  /** Whether the audit log says so: it cannot where the disk of the database is full, for example. */
  readonly audited: boolean;
};

type BackupInput = OutputFile & {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly by: AuditContext;
};

/**
 * Writes the backup in the folder of `file`, checks that it could be restored, and moves it into place with mode 0600.
 * Throws `BackupError` FILE_EXISTS without `force`, NOT_FOUND if there is nothing to back up or no such folder,
 * CHECK_FAILED for a backup that could not be restored, NEWER_VERSION.
 */
export async function takeBackup(input: BackupInput): Promise<BackupReport> {
  const { config, clock, file } = input;
  requireOutput(input);
  const store = await openStore(config);
  return withTemporaryFolder(join(dirname(file), `.${basename(file)}.`), async (folder) => {
    const createdAt = toIso(clock.now());
    await store.copyTo(join(folder, databaseName));
    copySecrets(config.secretsFile, join(folder, secretsName));
    const { rows, migrations } = await requireRestorable(folder);
    const archive = await packArchive(folder, { created_at: createdAt, taken_from: store.kind, migrations, rows });
    const sha256 = await hashFile(archive);
    const { size } = statSync(archive);
    moveToOutput(archive, input);
    const audited = 'audit_events' in rows && (await recordBackup(store, sha256, input));
    return { file, bytes: size, sha256, created_at: createdAt, database: store.kind, rows, audited };
  });
}

/** Returns whether it succeeded. The backup is there in any case. */
async function recordBackup(store: Store, sha256: string, { clock, random, file, by }: BackupInput): Promise<boolean> {
  const entries = new EntryWriter({ clock, random });
  const target = { kind: 'backup', id: '', label: basename(file) } as const;
  const event = { ...by, action: 'backup.create', target, details: { sha256 } } as const;
  try {
    await store.write((transaction) => entries.write(transaction, event));
    return true;
  } catch {
    return false;
  }
}

function copySecrets(from: string, to: string): void {
  if (!existsSync(from)) throw new BackupError('NOT_FOUND', `There is nothing to back up: ${from} is missing.`);
  writeFileSync(to, readFileSync(from), { mode: 0o600 });
}

async function requireRestorable(folder: string): Promise<Inspection> {
  const found = await inspectSqlite(join(folder, databaseName), join(folder, secretsName));
  if (found.unknownMigrations.length > 0) {
    throw new BackupError('NEWER_VERSION', 'The database is of a newer version: back it up with that version.');
  }
  if (found.problems.length > 0) {
    const problems = found.problems.join('; ');
    throw new BackupError(
      'CHECK_FAILED',
      `Nothing was written, because the backup could not be restored: ${problems}.`,
    );
  }
  return found;
}
