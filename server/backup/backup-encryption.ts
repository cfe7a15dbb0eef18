/** Encrypts backups as age files (age-encryption.org/v1), which the program `age` can decrypt too. */
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Encrypter } from 'age-encryption';
import { StartError } from '../errors.ts';
import { readSettingFile, requireNotPublicFile } from '../private-file.ts';
import type { Config } from '../settings/config.ts';
import { beginsWith } from './file-heading.ts';
import { BackupError } from './store.ts';

export type BackupEncryption =
  | { readonly kind: 'passphrase'; readonly passphrase: string }
  | { readonly kind: 'recipient'; readonly recipient: string };

/** Keys that may decrypt a backup. All of them are tried. */
export type BackupKeys = {
  readonly passphrase?: string | undefined;
  /** `AGE-SECRET-KEY-…` */
  readonly identities?: readonly string[] | undefined;
};

/** Loaded only to encrypt or decrypt: the library is large, and most servers do not use it. */
const loadAge = () => import('age-encryption');

const heading = 'age-encryption.org/v1\n';

/**
 * 2^16: scrypt then needs 64 MiB, a quarter of age's default, which is acceptable since passphrases in files can be
 * long.
 */
const scryptWorkFactor = 16;

/**
 * Returns the configured encryption; `undefined` if backups are not encrypted. Throws `StartError` for an unusable key.
 */
export async function readEncryption(backups: Config['backups']): Promise<BackupEncryption | undefined> {
  const { recipient } = backups;
  if (recipient !== undefined) {
    await requireRecipient(recipient);
    return { kind: 'recipient', recipient };
  }
  const passphrase = readPassphrase(backups);
  if (passphrase === undefined) return undefined;
  // Now, because root may soon have the rights of a user who cannot read the files of the program.
  await loadAge();
  return { kind: 'passphrase', passphrase };
}

async function requireRecipient(recipient: string): Promise<void> {
  const { Encrypter } = await loadAge();
  try {
    new Encrypter().addRecipient(recipient);
  } catch (error) {
    throw new StartError('LATCHKEY_BACKUP_RECIPIENT is wrong: it is not the public key of an age recipient', {
      cause: error,
    });
  }
}

/** Returns the configured passphrase; `undefined` if there is none. Throws `StartError` for an unusable file. */
export function readPassphrase({ passphraseFile: path }: Config['backups']): string | undefined {
  if (path === undefined) return undefined;
  const content = readSettingFile('LATCHKEY_BACKUP_PASSPHRASE_FILE', path, requireNotPublicFile);
  const passphrase = content.toString('utf8').replace(/\r?\n$/, '');
  if (passphrase === '') throw new StartError(`LATCHKEY_BACKUP_PASSPHRASE_FILE is wrong: ${path} is empty`);
  return passphrase;
}

/**
 * Writes the encrypted file, and returns the keys that decrypt it, for proving it. A file for a recipient is also
 * encrypted to a second recipient, whose private key is returned and never stored, because the server does not have the
 * first one's private key.
 */
export async function encryptFile(from: string, to: string, encryption: BackupEncryption): Promise<BackupKeys> {
  const { Encrypter } = await loadAge();
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(scryptWorkFactor);
  const keys = await addKeys(encrypter, encryption);
  const encrypted = await encrypter.encrypt(Readable.toWeb(createReadStream(from)) as ReadableStream<Uint8Array>);
  await pipeline(readWeb(encrypted), createWriteStream(to, { mode: 0o600, flags: 'wx' }));
  return keys;
}

async function addKeys(encrypter: Encrypter, encryption: BackupEncryption): Promise<BackupKeys> {
  if (encryption.kind === 'passphrase') {
    encrypter.setPassphrase(encryption.passphrase);
    return { passphrase: encryption.passphrase };
  }
  const { generateHybridIdentity, generateX25519Identity, identityToRecipient } = await loadAge();
  // Both recipients are of the same kind, because a file is only as safe as its weakest recipient.
  const isPostQuantum = /^age1(?:tag)?pq1/.test(encryption.recipient);
  const identity = await (isPostQuantum ? generateHybridIdentity() : generateX25519Identity());
  encrypter.addRecipient(encryption.recipient);
  encrypter.addRecipient(await identityToRecipient(identity));
  return { identities: [identity] };
}

export function isEncrypted(path: string): boolean {
  return beginsWith(path, heading);
}

/**
 * Returns the content of an encrypted file. Throws `BackupError` KEY_REQUIRED without a key, and WRONG_KEY if none
 * fits.
 */
export async function decryptFile(path: string, { passphrase, identities = [] }: BackupKeys): Promise<Readable> {
  if (passphrase === undefined && identities.length === 0) {
    throw new BackupError('KEY_REQUIRED', `${path} is encrypted: pass --passphrase-stdin or --identity FILE.`);
  }
  const { Decrypter } = await loadAge();
  const decrypter = new Decrypter();
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase);
  for (const identity of identities) decrypter.addIdentity(identity);
  const source = createReadStream(path);
  try {
    return readWeb(await decrypter.decrypt(Readable.toWeb(source) as ReadableStream<Uint8Array>));
  } catch (error) {
    source.destroy();
    if (!/no identity matched|no identities/i.test(String(error))) {
      throw new BackupError('BACKUP_DAMAGED', `${path} cannot be decrypted: it is damaged.`, { cause: error });
    }
    const wrong = identities.length > 0 ? 'these keys' : 'this passphrase';
    throw new BackupError('WRONG_KEY', `${path} is not encrypted with ${wrong}.`, { cause: error });
  }
}

/**
 * Reads the private keys in a file from `age-keygen`: one per line, plus comments. Throws `BackupError` NOT_FOUND or
 * WRONG_KEY.
 */
export async function readIdentityFile(path: string): Promise<string[]> {
  const { Decrypter } = await loadAge();
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new BackupError('NOT_FOUND', `${path} cannot be read.`, { cause: error });
  }
  const identities = content.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  try {
    const decrypter = new Decrypter();
    for (const identity of identities) decrypter.addIdentity(identity.trim());
    if (identities.length > 0) return identities.map((identity) => identity.trim());
  } catch {
    // The error is dropped because it could quote the key.
  }
  throw new BackupError('WRONG_KEY', `${path} has no private key of age (AGE-SECRET-KEY-…).`);
}

/** Returns a stream of buffers, since `tar` does not accept other arrays of bytes. */
function readWeb(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);
}
