/** The secrets stored outside of the database: the master key, which encrypts other secrets, and the pepper. */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { createFileAtomically, replaceFile } from './atomic-write.ts';
import type { Database, Executor, Transaction } from './database/database.ts';
import { lockByName } from './database/row-locks.ts';
import { StartError } from './errors.ts';
import { requirePrivateFile } from './private-file.ts';
import type { Random } from './random.ts';

export type Secrets = {
  /** 32 bytes. Encrypts secrets that are stored in the database. */
  readonly masterKey: Buffer;
  /** 32 bytes. Part of the hash of every license key. */
  readonly pepper: Buffer;
};

const secretBytes = 32;
const secret = z.string().regex(/^[\w-]{43}$/);
const secretsFile = z.object({ version: z.literal(1), master_key: secret, pepper: secret });

/**
 * The secrets of the database, from the file. Creates both the first time.
 * Throws `StartError` if the file is missing, damaged, belongs to another database, or is open to other users.
 */
export async function openSecrets(path: string, database: Database, random: Random): Promise<Secrets> {
  requirePrivateFile(path);
  const expected = await readFingerprint(database.read);
  if (expected && existsSync(restoredSecretsPath(path))) {
    await database.write((transaction) => completeRestore(path, transaction));
  }
  if (!existsSync(path)) {
    if (expected) {
      throw new StartError(`${path} is missing, and the database cannot be used without it: restore it from a backup`);
    }
    writeSecrets(path, random);
  }
  const secrets = readSecrets(path);
  if ((await storeFingerprint(database, fingerprint(secrets))) !== fingerprint(secrets)) {
    throw new StartError(
      `${path} contains the secrets of another database: set LATCHKEY_SECRETS_FILE to the right file`,
    );
  }
  return secrets;
}

/** Where a restore puts the new secrets before it replaces the database. */
export function restoredSecretsPath(path: string): string {
  return `${path}.restored`;
}

/** Makes the restored secrets the present ones. */
export function placeRestoredSecrets(path: string): void {
  replaceFile(restoredSecretsPath(path), path);
}

/**
 * A restore that was interrupted left its secrets beside the present ones. They are put in place where it had replaced the
 * database, and removed where it had not, or had put them in place.
 */
async function completeRestore(path: string, transaction: Transaction): Promise<void> {
  // Waits for a restore that is running: it has this lock, and on SQLite that of the whole file.
  await lockByName(transaction, 'migrations');
  const expected = await readFingerprint(transaction);
  const restored = restoredSecretsPath(path);
  if (fingerprintOfFile(path) === expected) rmSync(restored, { force: true });
  else if (fingerprintOfFile(restored) === expected) placeRestoredSecrets(path);
}

/** `undefined` for a file that cannot be read as secrets. */
function fingerprintOfFile(path: string): string | undefined {
  try {
    return fingerprint(readSecrets(path));
  } catch {
    return undefined;
  }
}

/** The secrets in a file. Throws `StartError` if it is missing or damaged. */
export function readSecrets(path: string): Secrets {
  try {
    const file = secretsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return {
      masterKey: Buffer.from(file.master_key, 'base64url'),
      pepper: Buffer.from(file.pepper, 'base64url'),
    };
  } catch {
    // Without the cause, which may quote the file.
    throw new StartError(`${path} cannot be read as a secrets file: restore it from a backup`);
  }
}

function writeSecrets(path: string, random: Random): void {
  const content = {
    version: 1,
    master_key: random(secretBytes).toString('base64url'),
    pepper: random(secretBytes).toString('base64url'),
  };
  createFileAtomically(path, (temporaryPath) => writeFileSync(temporaryPath, `${JSON.stringify(content, null, 2)}\n`));
}

const fingerprintName = 'secrets_fingerprint';

/** Identifies a set of secrets without revealing them. */
function fingerprint(secrets: Secrets): string {
  return createHmac('sha256', secrets.masterKey).update('secrets fingerprint').update(secrets.pepper).digest('hex');
}

/** Whether the database was created with these secrets. */
export async function secretsBelongTo(executor: Executor, secrets: Secrets): Promise<boolean> {
  return (await readFingerprint(executor)) === fingerprint(secrets);
}

async function readFingerprint(executor: Executor): Promise<string | undefined> {
  const row = await executor.selectFrom('meta').select('value').where('name', '=', fingerprintName).executeTakeFirst();
  return row?.value;
}

/** Stores the fingerprint if the database has none, and returns the one it has. */
async function storeFingerprint(database: Database, value: string): Promise<string | undefined> {
  const known = await readFingerprint(database.read);
  if (known) return known;
  await database.write((transaction) =>
    transaction
      .insertInto('meta')
      .values({ name: fingerprintName, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  return readFingerprint(database.read);
}
