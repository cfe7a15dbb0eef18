/** The backup file: a tar with the manifest, the database and the secrets, and the checksums that prove it whole. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { hashFile } from '../hash-file.ts';
import { BackupError } from './backup-error.ts';
import { type BackupManifest, backupManifest, databaseName, manifestName, secretsName } from './backup-manifest.ts';

/** Packs the database and the secrets that lie in `folder`, and returns the path of the archive, beside them. */
export async function packArchive(
  folder: string,
  facts: Omit<BackupManifest, 'files' | 'format' | 'version'>,
): Promise<string> {
  const names = [secretsName, databaseName];
  const files = await Promise.all(names.map((name) => describeFile(folder, name)));
  const manifest: BackupManifest = { format: 'latchkey-backup', version: 1, ...facts, files };
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const archive = join(folder, 'backup.tar');
  await create({ cwd: folder, file: archive, portable: true, mode: 0o600 }, [manifestName, ...names]);
  return archive;
}

/**
 * Unpacks an archive into an empty folder and checks that it is whole.
 * Throws `BackupError` NOT_FOUND, BACKUP_DAMAGED, or NEWER_VERSION for a format of a later version.
 */
export async function unpackArchive(archive: string, folder: string): Promise<BackupManifest> {
  if (statSync(archive, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new BackupError('NOT_FOUND', `There is no file ${archive}.`);
  }
  const expected = [manifestName, secretsName, databaseName];
  try {
    await extract({
      file: archive,
      cwd: folder,
      strict: true,
      preserveOwner: false,
      filter: (path, entry) => 'type' in entry && entry.type === 'File' && expected.includes(path),
    });
  } catch (error) {
    throw new BackupError('BACKUP_DAMAGED', `${archive} cannot be read as a backup.`, { cause: error });
  }
  const manifest = readManifest(archive, folder);
  for (const file of manifest.files) await requireWhole(archive, folder, file);
  return manifest;
}

async function describeFile(folder: string, name: string): Promise<BackupManifest['files'][number]> {
  const path = join(folder, name);
  return { name, bytes: statSync(path).size, sha256: await hashFile(path) };
}

function readManifest(archive: string, folder: string): BackupManifest {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(folder, manifestName), 'utf8'));
  } catch (error) {
    throw new BackupError('BACKUP_DAMAGED', `${archive} is not a backup: it has no manifest.`, { cause: error });
  }
  const parsed = backupManifest.safeParse(manifest);
  if (parsed.success) return parsed.data;
  if (isNewer(manifest)) {
    throw new BackupError('NEWER_VERSION', `${archive} was made by a newer version: restore it with that one.`);
  }
  throw new BackupError('BACKUP_DAMAGED', `${archive} is not a backup: its manifest makes no sense.`);
}

function isNewer(manifest: unknown): boolean {
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return false;
  return typeof manifest.version === 'number' && manifest.version > 1;
}

async function requireWhole(archive: string, folder: string, file: BackupManifest['files'][number]): Promise<void> {
  const found = await describeFile(folder, file.name).catch(() => undefined);
  if (found?.sha256 !== file.sha256 || found.bytes !== file.bytes) {
    throw new BackupError('BACKUP_DAMAGED', `${archive} is damaged: ${file.name} is not what was backed up.`);
  }
}
