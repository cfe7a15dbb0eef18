/** The backup file: a tar archive of a manifest, the database and the secrets, with checksums. */
import { createReadStream, openSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { create, extract } from 'tar';
import { z } from 'zod';
import { sealedHead } from '../audit/audit-chain.rules.ts';
import { codeOf } from '../errors.ts';
import { hashFile } from '../hash-file.ts';
import { type BackupKeys, decryptFile, isEncrypted } from './backup-encryption.ts';
import { createNoSpaceError, isFull } from './full-disk.ts';
import { BackupError } from './store.ts';

/** The manifest comes first in the archive, so that it can be read without unpacking the rest. */
const manifestName = 'manifest.json';
export const secretsName = 'secrets.json';

/** The database is always a SQLite file, so that a backup can be restored to SQLite and to PostgreSQL. */
export const databaseName = 'latchkey.db';

const archivedFile = z.object({
  name: z.string(),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
type ArchivedFile = z.infer<typeof archivedFile>;

const backupManifest = z.object({
  format: z.literal('latchkey-backup'),
  version: z.literal(1),
  created_at: z.iso.datetime(),
  /** The kind of database that was backed up. */
  taken_from: z.enum(['sqlite', 'postgres']),
  /** Migrations applied to the database. A restore compares them with those it knows. */
  migrations: z.array(z.string()),
  /** Number of rows in each table. */
  rows: z.record(z.string(), z.int().nonnegative()),
  /** The newest seal of the audit log; null if it has none. */
  audit_head: sealedHead.nullable().optional(),
  files: z.array(archivedFile).length(2),
});
export type BackupManifest = z.infer<typeof backupManifest>;

/** By default `tar` reads 16 MB at a time and keeps some of it in memory. */
const archiveChunkBytes = 1024 * 1024;

/** Packs the database and the secrets in `folder` into an archive in the same folder, and returns its path. */
export async function packArchive(
  folder: string,
  facts: Omit<BackupManifest, 'files' | 'format' | 'version'>,
): Promise<string> {
  const names = [secretsName, databaseName];
  const files = await Promise.all(names.map((name) => describeFile(folder, name)));
  const manifest: BackupManifest = { format: 'latchkey-backup', version: 1, ...facts, files };
  writeFileSync(join(folder, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  const archive = join(folder, 'backup.tar');
  await create({ cwd: folder, file: archive, portable: true, mode: 0o600, maxReadSize: archiveChunkBytes }, [
    manifestName,
    ...names,
  ]);
  return archive;
}

type OpenArchive = { readonly archive: string; readonly content: Readable };

/**
 * Unpacks an archive into an empty folder and verifies its checksums. Throws `BackupError` BACKUP_DAMAGED, or
 * NEWER_VERSION for the format of a later version.
 */
export async function unpackArchive({ archive, content }: OpenArchive, folder: string): Promise<BackupManifest> {
  const expectedNames = [manifestName, secretsName, databaseName];
  try {
    const target = extract({
      cwd: folder,
      strict: true,
      preserveOwner: false,
      filter: (path, entry) => 'type' in entry && entry.type === 'File' && expectedNames.includes(path),
    });
    await pipeline(content, target as unknown as NodeJS.WritableStream);
  } catch (error) {
    if (isCausedByDisk(error)) throw error;
    throw new BackupError('BACKUP_DAMAGED', `${archive} is no backup, or it is damaged or incomplete.`, {
      cause: error,
    });
  }
  const manifest = readManifest(archive, folder);
  for (const file of manifest.files) await verifyFile(archive, folder, file);
  return manifest;
}

/**
 * Opens an archive; `keys` decrypt it if it is encrypted. Throws `BackupError` NOT_FOUND, BACKUP_DAMAGED, KEY_REQUIRED or
 * WRONG_KEY.
 */
export async function openArchive(archive: string, keys: BackupKeys): Promise<OpenArchive> {
  const found = statSync(archive, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new BackupError('NOT_FOUND', `${archive} is a folder: name a backup in it.`);
  if (!found?.isFile()) throw new BackupError('NOT_FOUND', `There is no file ${archive}.`);
  if (isEncrypted(archive)) return { archive, content: await decryptFile(archive, keys) };
  // Opened now, because the rights may be others by the time the stream is read.
  const fd = openSync(archive, 'r');
  return { archive, content: createReadStream(archive, { fd, highWaterMark: archiveChunkBytes }) };
}

/** True for an error of the disk that the backup is unpacked to; the backup itself may be sound. */
function isCausedByDisk(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(codeOf(error));
}

async function describeFile(folder: string, name: string): Promise<ArchivedFile> {
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
  if (isNewerFormat(manifest)) {
    throw new BackupError('NEWER_VERSION', `${archive} was made by a newer version: restore it with that version.`);
  }
  throw new BackupError('BACKUP_DAMAGED', `${archive} is not a backup: its manifest is not valid.`);
}

function isNewerFormat(manifest: unknown): boolean {
  if (typeof manifest !== 'object' || manifest === null || !('version' in manifest)) return false;
  return typeof manifest.version === 'number' && manifest.version > 1;
}

async function verifyFile(archive: string, folder: string, expected: ArchivedFile): Promise<void> {
  const found = await describeFile(folder, expected.name).catch(() => undefined);
  if (found?.sha256 !== expected.sha256 || found.bytes !== expected.bytes) {
    // `tar` takes a write that a full disk has cut short for a complete one.
    if (isFull(folder)) throw createNoSpaceError(dirname(folder));
    throw new BackupError('BACKUP_DAMAGED', `${archive} is damaged: ${expected.name} does not match its checksum.`);
  }
}
