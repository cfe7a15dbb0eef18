/** Seals under a random key in a file beside the sealed ones, for machines without a keyring. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepAside } from './keep-aside.ts';
import type { Seal } from './seal.ts';
import { writeDurably } from './write-durably.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The seal of a folder; its key is made when the first secret is closed, readable by its owner alone. */
export function createKeyFileSeal(folder: string, now: () => number): Seal {
  const path = join(folder, 'key');
  return {
    kind: 'file',
    close: async (text) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, (await readKey(path)) ?? (await makeKey(path, now)), nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open: async (sealed) => {
      const key = await readKey(path);
      if (key === null) throw new Error('The key beside the secrets is missing or damaged.');
      const bytes = Buffer.from(sealed);
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes));
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
      return decipher.update(bytes.subarray(nonceBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

async function readKey(path: string): Promise<Buffer | null> {
  try {
    const key = await readFile(path);
    return key.byteLength === keyBytes ? key : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** A damaged key is kept aside: somebody may still have the rest of it. */
async function makeKey(path: string, now: () => number): Promise<Buffer> {
  await keepAside(path, now()).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
  const key = randomBytes(keyBytes);
  await writeDurably(path, key);
  return key;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
