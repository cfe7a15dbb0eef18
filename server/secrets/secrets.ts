/** The secrets stored outside of the database: the master key, which encrypts other secrets, and the pepper. */
import { createHmac } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { replaceFile, stampOf } from '../atomic-write.ts';
import type { Database, Executor, Transaction } from '../database/database.ts';
import { readMeta, saveMeta } from '../database/meta.ts';
import { insertNew } from '../database/queries.ts';
import { lockByName } from '../database/row-locks.ts';
import { StartError } from '../errors.ts';
import { requirePrivateFile } from '../private-file.ts';
import type { Random } from '../random.ts';
import { createSecretsFile, readSecretsFile, replaceSecretsFile, type SecretsContent } from './secrets-file.ts';

/** The master keys may change while the server runs: read them each time, and keep nothing derived from them. */
export type Secrets = {
  /** Newest first; 32 bytes each. The newest one encrypts secrets stored in the database, and any of them decrypts. */
  readonly masterKeys: readonly Buffer[];
  /** Part of the hash of every license key: 32 bytes that never change. */
  readonly pepper: Buffer;
  /** Must be called when something does not fit the secrets; returns whether the file now has different ones. */
  refresh(): boolean;
};

/** The secrets as stored in the file. */
export class StoredSecrets implements Secrets {
  readonly #path: string;
  #content: SecretsContent;
  #stamp: string;
  #masterKeys: readonly Buffer[] = [];

  /** Throws `StartError` if the file is missing or damaged. */
  constructor(path: string) {
    this.#path = path;
    this.#stamp = stampOf(path);
    this.#content = readSecretsFile(path);
    this.#set(this.#content);
  }

  get content(): SecretsContent {
    return this.#content;
  }

  get masterKeys(): readonly Buffer[] {
    return this.#masterKeys;
  }

  get pepper(): Buffer {
    return this.#content.pepper.key;
  }

  readonly refresh = (): boolean => {
    const stamp = stampOf(this.#path);
    if (stamp === this.#stamp) return false;
    const content = readIfSound(this.#path);
    // A file without any of the current keys belongs to another database.
    if (!content || !shareKeys(content, this.#content)) return false;
    this.#stamp = stamp;
    this.#set(content);
    return true;
  };

  /** Replaces the file. Must be called in a transaction that holds the lock `secrets`. Throws `StartError`. */
  replace(content: SecretsContent): void {
    replaceSecretsFile(this.#path, content);
    this.#stamp = stampOf(this.#path);
    this.#set(content);
  }

  #set(content: SecretsContent): void {
    this.#content = content;
    this.#masterKeys = content.masterKeys.map(({ key }) => key);
  }
}

/** Reads the file; returns `undefined` if it is missing or damaged. */
export function readIfSound(path: string): SecretsContent | undefined {
  try {
    return readSecretsFile(path);
  } catch {
    return undefined;
  }
}

/** Returns true if both sets of secrets are of the same server, before and after a rotation. */
function shareKeys(one: SecretsContent, other: SecretsContent): boolean {
  return sharesMasterKey(one, other) && one.pepper.key.equals(other.pepper.key);
}

/** Returns true if both sets of secrets are of the same server, possibly at different times. */
export function haveCommonKey(one: SecretsContent, other: SecretsContent): boolean {
  return sharesMasterKey(one, other) || one.pepper.key.equals(other.pepper.key);
}

function sharesMasterKey(one: SecretsContent, other: SecretsContent): boolean {
  return one.masterKeys.some(({ key }) => other.masterKeys.some((known) => known.key.equals(key)));
}

/**
 * Opens the secrets of the database from the file, creating both the first time. Throws `StartError` if the file is
 * missing, damaged, belongs to another database, or is accessible to other users.
 */
export async function openSecrets(path: string, database: Database, random: Random): Promise<StoredSecrets> {
  requirePrivateFile(path);
  const expected = await readFingerprint(database.read);
  const restored = restoredSecretsPath(path);
  if (expected && (existsSync(restored) || existsSync(`${restored}.new`))) {
    await database.write((transaction) => completeRestore(path, transaction));
  }
  if (!existsSync(path)) {
    if (expected) {
      throw new StartError(
        `${path} is missing, and the database cannot be used without it: restore it from a backup, or copy it from another server of this database`,
      );
    }
    createSecretsFile(path, random);
  }
  const secrets = new StoredSecrets(path);
  await storeFirstFingerprint(database, secrets);
  if (!(await secretsBelongTo(database.read, secrets))) {
    throw new StartError(
      `${path} contains the secrets of another database: set LATCHKEY_SECRETS_FILE to the right file`,
    );
  }
  database.cacheInvalidation.onChange((change) => {
    if (change === 'everything') secrets.refresh();
  });
  return secrets;
}

/** Returns where a restore puts the new secrets before it replaces the database. */
export function restoredSecretsPath(path: string): string {
  return `${path}.restored`;
}

/** Makes the restored secrets the current ones. */
export function placeRestoredSecrets(path: string): void {
  replaceFile(restoredSecretsPath(path), path);
}

/**
 * Completes an interrupted restore, which left its secrets next to the current ones. They are put in place if it had
 * replaced the database; otherwise, or if they already are in place, they are removed, as is the file that they were
 * being written to.
 */
async function completeRestore(path: string, transaction: Transaction): Promise<void> {
  // Waits for a restore that is running: it holds this lock and, on SQLite, the lock of the whole file.
  await lockByName(transaction, 'migrations');
  const restored = restoredSecretsPath(path);
  rmSync(`${restored}.new`, { force: true });
  if (await fileBelongsTo(transaction, path)) rmSync(restored, { force: true });
  else if (await fileBelongsTo(transaction, restored)) placeRestoredSecrets(path);
}

/**
 * Returns true if the file has the secrets of the database, so that a server can start; false also if it cannot be read
 * as secrets.
 */
export async function fileBelongsTo(executor: Executor, path: string): Promise<boolean> {
  const content = readIfSound(path);
  return content !== undefined && (await secretsBelongTo(executor, toSecrets(content)));
}

type Fingerprinted = Pick<Secrets, 'masterKeys' | 'pepper'>;

function toSecrets({ masterKeys, pepper }: SecretsContent): Fingerprinted {
  return { masterKeys: masterKeys.map(({ key }) => key), pepper: pepper.key };
}

const fingerprintName = 'secrets_fingerprint';

/** Identifies a set of secrets without revealing them. */
function fingerprint(masterKey: Buffer, pepper: Buffer): string {
  return createHmac('sha256', masterKey).update('secrets fingerprint').update(pepper).digest('hex');
}

/** Returns the fingerprint of the newest secrets. */
function newestFingerprint({ masterKeys: [newest = Buffer.alloc(0)], pepper }: Fingerprinted): string {
  return fingerprint(newest, pepper);
}

/** Returns true if the file has a new master key while the database still has the fingerprint of the earlier one. */
export async function isRotationPending(executor: Executor, secrets: Fingerprinted): Promise<boolean> {
  return (await readFingerprint(executor)) !== newestFingerprint(secrets);
}

/**
 * Returns true if the database belongs to these secrets. During a rotation, its fingerprint may be that of an earlier
 * master key.
 */
export async function secretsBelongTo(executor: Executor, { masterKeys, pepper }: Fingerprinted): Promise<boolean> {
  const known = await readFingerprint(executor);
  return masterKeys.some((key) => fingerprint(key, pepper) === known);
}

function readFingerprint(executor: Executor): Promise<string | undefined> {
  return readMeta(executor, fingerprintName);
}

/** Stores the fingerprint of the newest secrets in the database. */
export function saveFingerprint(transaction: Transaction, secrets: Fingerprinted): Promise<void> {
  return saveMeta(transaction, fingerprintName, newestFingerprint(secrets));
}

/** Stores the fingerprint if the database has none. */
async function storeFirstFingerprint(database: Database, secrets: Fingerprinted): Promise<void> {
  if (await readFingerprint(database.read)) return;
  const row = { name: fingerprintName, value: newestFingerprint(secrets) };
  await database.write((transaction) => insertNew(transaction, 'meta', row));
}
