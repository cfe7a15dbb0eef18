/** Reads and writes the file with the master keys and the pepper. */
import { fchownSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { asOwnerOf } from '../act-as-owner.ts';
import { createFileAtomically, openFile, replaceFile } from '../atomic-write.ts';
import { toIso } from '../clock.ts';
import { codeOf, StartError } from '../errors.ts';
import type { Random } from '../random.ts';

/** A key of 32 bytes. */
export type StoredKey = { readonly key: Buffer; readonly createdAtMs: number };

export type SecretsContent = {
  /** Newest first. The earlier keys decrypt what is not yet encrypted under the newest. */
  readonly masterKeys: readonly StoredKey[];
  readonly pepper: StoredKey;
};

const secretBytes = 32;
const secret = z.string().regex(/^[\w-]{43}$/);
/** The format of a new file. */
const firstFormat = z.object({ version: z.literal(1), master_key: secret, pepper: secret });
const storedKey = z.object({ key: secret, created_at: z.iso.datetime() });
/** The format after a rotation. */
const rotatedFormat = z.object({
  version: z.literal(2),
  master_keys: z.array(storedKey).min(1),
  pepper: storedKey,
});
const secretsFile = z.discriminatedUnion('version', [firstFormat, rotatedFormat]);

/** Reads the file. Throws `StartError` if it is missing or damaged. */
export function readSecretsFile(path: string): SecretsContent {
  try {
    const file = secretsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    if (file.version === 2) {
      return { masterKeys: file.master_keys.map(toStoredKey), pepper: toStoredKey(file.pepper) };
    }
    // In this format the file has not changed since its creation.
    const createdAtMs = Math.floor(statSync(path).mtimeMs);
    return {
      masterKeys: [{ key: Buffer.from(file.master_key, 'base64url'), createdAtMs }],
      pepper: { key: Buffer.from(file.pepper, 'base64url'), createdAtMs },
    };
  } catch {
    // The cause is left out because it may quote the file.
    throw new StartError(`${path} cannot be read as a secrets file: restore it from a backup`);
  }
}

/** Creates the file, unless another process has just done so. */
export function createSecretsFile(path: string, random: Random): void {
  const content = {
    version: 1,
    master_key: random(secretBytes).toString('base64url'),
    pepper: random(secretBytes).toString('base64url'),
  };
  createFileAtomically(path, (temporaryPath) => writeFileSync(temporaryPath, toText(content)));
}

export function newStoredKey(nowMs: number, random: Random): StoredKey {
  return { key: random(secretBytes), createdAtMs: nowMs };
}

/**
 * Replaces the whole content of the file atomically; the file keeps its owner. Throws `StartError` if it cannot be
 * written, for example in a read-only mount.
 */
export function replaceSecretsFile(path: string, content: SecretsContent): void {
  const file = realpathSync(path);
  // Only one process replaces it at a time; one that was killed has left a file with this name.
  const temporaryPath = `${file}.new`;
  const { uid, gid } = statSync(file);
  try {
    asOwnerOf(dirname(file), () => {
      rmSync(temporaryPath, { force: true });
      writeNewFile(temporaryPath, toText(toFile(content)), { uid, gid });
      replaceFile(temporaryPath, file);
    });
  } catch (error) {
    removeFile(temporaryPath);
    const reason = codeOf(error) || 'unknown reason';
    throw new StartError(`${path} cannot be replaced by a file with new keys (${reason}): make its folder writable`, {
      cause: error,
    });
  }
}

/** Writes a file that does not exist yet; if root does, it belongs to the given user. */
function writeNewFile(path: string, text: string, { uid, gid }: { uid: number; gid: number }): void {
  using file = openFile(path, 'wx', 0o600);
  writeFileSync(file.descriptor, text);
  if (process.geteuid?.() === 0) fchownSync(file.descriptor, uid, gid);
}

/** Removes the path if it is a regular file. */
function removeFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
}

function toFile({ masterKeys, pepper }: SecretsContent): z.input<typeof rotatedFormat> {
  return { version: 2, master_keys: masterKeys.map(fromStoredKey), pepper: fromStoredKey(pepper) };
}

function toText(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

function toStoredKey({ key, created_at }: z.output<typeof storedKey>): StoredKey {
  return { key: Buffer.from(key, 'base64url'), createdAtMs: Date.parse(created_at) };
}

function fromStoredKey({ key, createdAtMs }: StoredKey): z.input<typeof storedKey> {
  return { key: key.toString('base64url'), created_at: toIso(createdAtMs) };
}
