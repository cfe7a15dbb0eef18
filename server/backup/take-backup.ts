/** The command `backup`: writes the database and its secrets to one file, even while the server runs. */
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asCaller, asOwnerOf } from '../act-as-owner.ts';
import { findNewestSeal } from '../audit/accept-end.ts';
import type { Head } from '../audit/audit-chain.rules.ts';
import type { AuditContext } from '../audit/audit-event.ts';
import { EntryWriter } from '../audit/entry-writer.ts';
import { type Clock, toIso } from '../clock.ts';
import { hashFile } from '../hash-file.ts';
import type { Random } from '../random.ts';
import type { Config } from '../settings/config.ts';
import { databaseName, packArchive, secretsName } from './backup-archive.ts';
import { type BackupEncryption, type BackupKeys, encryptFile, readEncryption } from './backup-encryption.ts';
import { backupCopies, readFreeBytes } from './data-folder.ts';
import { inspectBackup, type TablesReport } from './inspection.ts';
import { requireKnownMigrations } from './known-migrations.ts';
import { openStore } from './open-store.ts';
import { moveToOutput, type OutputFile, requireOutput } from './output-file.ts';
import { withSqliteFile } from './sqlite-file.ts';
import { BackupError, type Store } from './store.ts';
import { withWorkFolder } from './work-folder.ts';

export type WrittenBackup = {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created_at: string;
  readonly database: Store['kind'];
  /** How it is encrypted; null if it is not. */
  readonly encryption: BackupEncryption['kind'] | null;
  /** Number of rows of each table in the backup. */
  readonly rows: Readonly<Record<string, number>>;
  /** The newest seal of the audit log in the backup; null if there is none. */
  readonly audit_head: Head | null;
};

type BackupReport = WrittenBackup & {
  /**
   * True if the audit log has an entry about it, which is impossible if the disk of the database is full, for example.
   */
  readonly audited: boolean;
};

type BackupInput = OutputFile & { readonly config: Config; readonly clock: Clock };
type AuditedInput = BackupInput & { readonly random: Random; readonly by: AuditContext };

/**
 * Proves a finished archive before it is moved into place, including its database, which has not been checked before.
 */
export type Proof = (archive: string, keys: BackupKeys, rows: WrittenBackup['rows']) => Promise<void>;

/** Writes the backup with `writeBackup` and records it in the audit log. Throws the same errors. */
export async function takeBackup(input: AuditedInput): Promise<BackupReport> {
  const written = await writeBackup(input);
  return { ...written, audited: 'audit_events' in written.rows && (await recordBackup(input, written)) };
}

/** Returns false if nothing could be recorded; the backup exists in any case. */
async function recordBackup(input: AuditedInput, { sha256 }: WrittenBackup): Promise<boolean> {
  const entries = new EntryWriter(input);
  const target = { kind: 'backup', id: '', label: basename(input.file) } as const;
  const event = { ...input.by, action: 'backup.create', target, details: { sha256 } } as const;
  try {
    const store = await openStore(input.config);
    await store.write((transaction) => entries.write(transaction, event));
    return true;
  } catch {
    return false;
  }
}

/**
 * Writes the backup in a private folder next to the database, checks that it can be restored, and moves it into place
 * with mode 0600. If backups are encrypted, nothing unencrypted ever enters the folder of `file`. Throws `BackupError`
 * FILE_EXISTS without `force`, NOT_FOUND if there is nothing to back up or no such folder, CHECK_FAILED for a backup
 * that could not be restored, NO_SPACE, NEWER_VERSION, and what `prove` throws.
 */
export async function writeBackup(input: BackupInput, prove?: Proof): Promise<WrittenBackup> {
  const { config, clock, file } = input;
  requireOutput(input);
  const encryption = await readEncryption(config.backups);
  const store = await openStore(config);
  // The folder would be created, and look like that of a server.
  store.requireFile();
  return withWorkFolder(config.dataFolder, async (folder) => {
    requireSpace(config, folder);
    const createdAt = toIso(clock.now());
    await store.copyTo(join(folder, databaseName));
    writeSecrets(
      join(folder, secretsName),
      asCaller(() => readSecrets(config.secretsFile)),
    );
    // A proof reads the whole file anyway.
    const { rows, migrations } = await requireRestorable(folder, { isCheckedLater: prove !== undefined });
    const auditHead =
      'audit_events' in rows
        ? await withSqliteFile(join(folder, databaseName), ({ executor }) => findNewestSeal(executor))
        : null;
    const facts = { created_at: createdAt, taken_from: store.kind, migrations, rows, audit_head: auditHead };
    const packed = await packArchive(folder, facts);
    // From here on there are at most two copies on disk.
    rmSync(join(folder, databaseName));
    const archive = join(folder, 'archive');
    const keys = encryption ? await encryptArchive(packed, archive, encryption) : {};
    if (!encryption) renameSync(packed, archive);
    await prove?.(archive, keys, rows);
    const sha256 = await hashFile(archive);
    const { size: bytes } = statSync(archive);
    moveToOutput(archive, input);
    const described = { created_at: createdAt, database: store.kind, encryption: encryption?.kind ?? null };
    return { file, bytes, sha256, ...described, rows, audit_head: auditHead };
  });
}

/** Makes sure that backups do not use up the disk space of a server that stores its data in SQLite. */
function requireSpace({ databaseUrl, databaseFile }: Config, folder: string): void {
  if (databaseUrl !== undefined) return;
  const freeBytes = readFreeBytes(folder);
  const neededBytes = backupCopies * (statSync(databaseFile, { throwIfNoEntry: false })?.size ?? 0);
  if (freeBytes >= neededBytes) return;
  const [needed, free] = [neededBytes, freeBytes].map((bytes) => `${Math.ceil(bytes / 1000)} KB`);
  throw new BackupError(
    'NO_SPACE',
    `Nothing was written: a backup needs about ${needed} in ${dirname(folder)}, where ${free} are free.`,
  );
}

async function encryptArchive(from: string, to: string, encryption: BackupEncryption): Promise<BackupKeys> {
  const keys = await encryptFile(from, to, encryption);
  rmSync(from);
  return keys;
}

type SecretsContent = { readonly content: Buffer; readonly mtime: Date };

function readSecrets(file: string): SecretsContent {
  return asOwnerOf(dirname(file), () => {
    if (!existsSync(file)) throw new BackupError('NOT_FOUND', `There is nothing to back up: ${file} is missing.`);
    return { content: readFileSync(file), mtime: statSync(file).mtime };
  });
}

function writeSecrets(to: string, { content, mtime }: SecretsContent): void {
  writeFileSync(to, content, { mode: 0o600 });
  // Until the first rotation, the age of the keys is that of the file.
  utimesSync(to, mtime, mtime);
}

async function requireRestorable(folder: string, check: { readonly isCheckedLater: boolean }): Promise<TablesReport> {
  const found = await inspectBackup(join(folder, databaseName), join(folder, secretsName), check);
  requireKnownMigrations(found, 'The database', 'back it up with that version.');
  if (found.problems.length > 0) {
    const problems = found.problems.join('; ');
    throw new BackupError(
      'CHECK_FAILED',
      `Nothing was written, because the backup could not be restored: ${problems}.`,
    );
  }
  return found;
}
