/** The secrets that stand outside of the database: the master key, under which others are sealed, and the pepper. */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { createFileAtomically } from './atomic-write.ts';
import type { Database, Executor } from './database/database.ts';
import { StartError } from './errors.ts';
import type { Random } from './random.ts';

export type Secrets = {
  /** 32 bytes: seals what the database keeps but must not give away. */
  readonly masterKey: Buffer;
  /** 32 bytes: goes into the hash of every license key. */
  readonly pepper: Buffer;
};

const secretBytes = 32;
const secret = z.string().regex(/^[\w-]{43}$/);
const secretsFile = z.object({ version: z.literal(1), master_key: secret, pepper: secret });

/**
 * The secrets that belong to the database: read from the file, or made when neither knows any yet.
 * Throws `StartError` when the file is missing, damaged, or belongs to another database.
 */
export async function openSecrets(path: string, database: Database, random: Random): Promise<Secrets> {
  const expected = await readFingerprint(database.read);
  if (!existsSync(path)) {
    if (expected) {
      throw new StartError(`${path} is missing, without it the database cannot be used: put it back from the backup`);
    }
    writeSecrets(path, random);
  }
  const secrets = readSecrets(path);
  if ((await rememberFingerprint(database, fingerprint(secrets))) !== fingerprint(secrets)) {
    throw new StartError(`${path} holds the secrets of another database: name the right file in LATCHKEY_SECRETS_FILE`);
  }
  return secrets;
}

/** The secrets in a file. Throws `StartError` when it is missing or damaged. */
export function readSecrets(path: string): Secrets {
  try {
    const file = secretsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
    return {
      masterKey: Buffer.from(file.master_key, 'base64url'),
      pepper: Buffer.from(file.pepper, 'base64url'),
    };
  } catch {
    // The cause may quote the file, which is secret.
    throw new StartError(`${path} cannot be read as a secrets file: put it back from the backup`);
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

/** Tells two sets of secrets apart and gives nothing of them away. */
function fingerprint(secrets: Secrets): string {
  return createHmac('sha256', secrets.masterKey).update('secrets fingerprint').update(secrets.pepper).digest('hex');
}

/** Whether the database was made with these secrets. */
export async function secretsBelongTo(executor: Executor, secrets: Secrets): Promise<boolean> {
  return (await readFingerprint(executor)) === fingerprint(secrets);
}

async function readFingerprint(executor: Executor): Promise<string | undefined> {
  const row = await executor.selectFrom('meta').select('value').where('name', '=', fingerprintName).executeTakeFirst();
  return row?.value;
}

/** The fingerprint that the database has, which is this one if it had none. */
async function rememberFingerprint(database: Database, value: string): Promise<string | undefined> {
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
