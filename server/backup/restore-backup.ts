/** The command `restore`: replaces the database and the secrets with those of a backup. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asCaller, asOwnerOf } from '../act-as-owner.ts';
import { giveToOwnerOf, replaceFileWith, syncPath } from '../atomic-write.ts';
import { acceptRestoredEnd, describeAccepted } from '../audit/accept-end.ts';
import type { Head } from '../audit/audit-chain.rules.ts';
import type { AuditContext, AuditDetails } from '../audit/audit-event.ts';
import { EntryWriter } from '../audit/entry-writer.ts';
import { HeadStore } from '../audit/head-store.ts';
import { toIso } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import { createFolder } from '../create-folder.ts';
import { StartError } from '../errors.ts';
import { placeRestoredSecrets, restoredSecretsPath, StoredSecrets } from '../secrets/secrets.ts';
import type { Config } from '../settings/config.ts';
import { type BackupManifest, databaseName, openArchive, secretsName, unpackArchive } from './backup-archive.ts';
import { type BackupKeys, readPassphrase } from './backup-encryption.ts';
import { isForeign, readOwners, refuseForeign } from './foreign-backup.ts';
import { inspectBackup } from './inspection.ts';
import { requireKnownMigrations } from './known-migrations.ts';
import { openStore } from './open-store.ts';
import { writeSqliteFile } from './sqlite-file.ts';
import { BackupError, type Location, type LockedStore, type Store } from './store.ts';
import { withWorkFolder } from './work-folder.ts';

type RestoreReport = Location & {
  readonly file: string;
  /** When the backup was taken. */
  readonly created_at: string;
  readonly database: Store['kind'];
  readonly secrets_file: string;
  /** Folder with the replaced data, usable as a data folder; null if there was none. */
  readonly replaced: string | null;
  readonly rows: Readonly<Record<string, number>>;
  /** Email addresses of the owners in the backup. */
  readonly owners: readonly string[];
};

type RestoreInput = Pick<CommonDeps, 'config' | 'clock' | 'random'> & {
  readonly file: string;
  /** Keys that decrypt it; by default the configured passphrase. */
  readonly keys?: BackupKeys;
  /** True to also restore a backup of another server. */
  readonly foreign?: boolean;
  readonly by: AuditContext;
};

/**
 * Restores a backup. Checks the whole backup before changing anything. A backup of either kind of database can be
 * restored to either. Throws `BackupError` SERVER_RUNNING, NOT_FOUND, BACKUP_DAMAGED, KEY_REQUIRED, WRONG_KEY,
 * NEWER_VERSION, OTHER_DATABASE, and FOREIGN_BACKUP for a backup of another server unless `foreign` is set.
 */
export async function restoreBackup(input: RestoreInput): Promise<RestoreReport> {
  const { config } = input;
  const keys = input.keys ?? { passphrase: readPassphrase(config.backups) };
  createFolder(config.dataFolder);
  const store = await openStore(config);
  return asOwnerOf(config.dataFolder, () => restoreTo(store, input, keys));
}

async function restoreTo(store: Store, input: RestoreInput, keys: BackupKeys): Promise<RestoreReport> {
  const { config, clock, file } = input;
  await using locked = await store.lock();
  return await withWorkFolder(config.dataFolder, async (folder) => {
    const manifest = await unpackArchive(await asCaller(() => openArchive(file, keys)), folder);
    await requireRestorable(file, folder, manifest);
    const owners = await readOwners(folder);
    const foreign = await isForeign(config, locked, folder);
    if (foreign && !input.foreign) throw refuseForeign(file, owners);
    const details = { created_at: manifest.created_at, ...(foreign && { foreign }) };
    const headStore = new HeadStore(config);
    const remembered = await asCaller(() => headStore.read());
    const accepted =
      'audit_events' in manifest.rows ? await recordRestore(folder, { details, remembered }, input) : undefined;
    const secrets = new SecretsPlace(config.secretsFile);
    const replaced = await savePresentData(config, { locked, secrets, nowMs: clock.now() });
    secrets.stage(join(folder, secretsName));
    await locked.replaceWith(join(folder, databaseName)).catch((error: unknown) => {
      if (error instanceof StartError) {
        secrets.unstage();
        if (replaced !== null) rmSync(replaced, { recursive: true, force: true });
      }
      throw error;
    });
    // Another process that started meanwhile may have removed them, because they did not fit the previous database.
    if (!secrets.areStaged()) secrets.stage(join(folder, secretsName));
    secrets.place();
    if (accepted) await asCaller(() => headStore.remember(accepted));
    return {
      file,
      created_at: manifest.created_at,
      database: store.kind,
      ...store.location,
      secrets_file: config.secretsFile,
      replaced,
      rows: manifest.rows,
      owners,
    };
  });
}

async function requireRestorable(file: string, folder: string, manifest: BackupManifest): Promise<void> {
  const found = await inspectBackup(join(folder, databaseName), join(folder, secretsName));
  requireKnownMigrations(found, file, 'restore it with that version.');
  if (found.problems.length > 0 || found.migrations.join() !== manifest.migrations.join()) {
    const problems = found.problems.join('; ') || 'its manifest does not match its database';
    throw new BackupError('BACKUP_DAMAGED', `${file} is damaged: ${problems}.`);
  }
}

/**
 * Records the restore in the audit log of the backup, which becomes the current one. A backup of an earlier version may
 * have none. The end of the log may be older than what servers remember, and is accepted.
 */
async function recordRestore(
  folder: string,
  { details: known, remembered }: { readonly details: AuditDetails; readonly remembered: Head | undefined },
  { clock, random, file, by }: RestoreInput,
): Promise<Head | undefined> {
  const secrets = new StoredSecrets(join(folder, secretsName));
  const entries = new EntryWriter({ clock, random });
  const target = { kind: 'backup', id: '', label: basename(file) } as const;
  let accepted: Head | undefined;
  await writeSqliteFile(join(folder, databaseName), async (transaction) => {
    accepted = await acceptRestoredEnd(transaction, { secrets, remembered, nowMs: clock.now() });
    const details = { ...known, ...(accepted && describeAccepted(accepted, remembered)) };
    await entries.write(transaction, { ...by, action: 'backup.restore', target, details });
  });
  return accepted;
}

/** Saves what the restore replaces in a new folder, and returns its path; `null` if there is nothing to save. */
async function savePresentData(
  { dataFolder }: Config,
  { locked, secrets, nowMs }: { readonly locked: LockedStore; readonly secrets: SecretsPlace; readonly nowMs: number },
): Promise<string | null> {
  const present = secrets.read();
  if (!locked.exists && !present) return null;
  const folder = join(dataFolder, `replaced-${toIso(nowMs).replaceAll(/[:.]/g, '-')}`);
  mkdirSync(folder, { mode: 0o700 });
  if (locked.exists) await locked.saveTo(folder);
  if (present) writeFileSync(join(folder, secretsName), present, { mode: 0o600, flag: 'wx' });
  syncPath(folder);
  return folder;
}

/** The secrets file, whose folder may be another user's than the data folder. */
class SecretsPlace {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns the content of the file; `undefined` if there is none. */
  read(): Buffer | undefined {
    return this.#inFolder(() => (existsSync(this.#file) ? readFileSync(this.#file) : undefined));
  }

  /**
   * Stores the new secrets next to the old ones. If the restore is interrupted after replacing the database,
   * `openSecrets` completes it.
   */
  stage(from: string): void {
    const [content, { mtime }] = [readFileSync(from), statSync(from)];
    asCaller(() => createFolder(dirname(this.#file)));
    this.#inFolder(() => {
      const staged = restoredSecretsPath(this.#file);
      replaceFileWith(content, mtime, staged);
      giveToOwnerOf(existsSync(this.#file) ? this.#file : dirname(this.#file), staged);
    });
  }

  areStaged(): boolean {
    return this.#inFolder(() => existsSync(restoredSecretsPath(this.#file)));
  }

  unstage(): void {
    this.#inFolder(() => rmSync(restoredSecretsPath(this.#file), { force: true }));
  }

  place(): void {
    this.#inFolder(() => placeRestoredSecrets(this.#file));
  }

  #inFolder<T>(work: () => T): T {
    return asCaller(() => asOwnerOf(dirname(this.#file), work));
  }
}
