/** The ports shared by `./electron` and `./node`, with the stores in a folder. */
import { join } from 'node:path';
import type { Platform } from '../licensing/platform.ts';
import { belongsToOther, createFolder } from '../platform/create-folder.ts';
import { type Encryption, KeyFileEncryption } from '../platform/encryption.ts';
import { systemFiles } from '../platform/files.ts';
import { FileLog } from '../platform/log.ts';
import { FileSecretStore } from '../platform/secret-store.ts';
import { systemClock, systemMachine, systemRandom } from '../platform/system.ts';
import { JsonPlainStore } from './json-plain-store.ts';
import { lockFolder } from './lock-folder.ts';

export type PlatformParts = Pick<Platform, 'http' | 'network' | 'power'> & {
  readonly folder: string;
  readonly keyring: Encryption | null;
  readonly withoutKeyring: 'ask' | 'file';
};

/**
 * Creates the folder if needed, for its owner only. Rejects if the disk fails, or if the folder belongs to another user
 * or another process uses it.
 */
export async function openPlatform(parts: PlatformParts): Promise<Platform> {
  const { folder, keyring, withoutKeyring, http, network, power } = parts;
  const { now } = systemClock;
  createFolder(folder);
  if (belongsToOther(folder)) throw new Error(`The folder ${folder} belongs to another user.`);
  // Two processes would sign each other out.
  const claim = await lockFolder(folder);
  if (claim === null) throw new Error(`Another process uses ${folder}.`);
  const plain = await JsonPlainStore.open({ folder, now });
  const secretsFolder = join(folder, 'secrets');
  const keyFile = new KeyFileEncryption({ folder: secretsFolder, now });
  return {
    clock: systemClock,
    random: systemRandom,
    http,
    network,
    secrets: await FileSecretStore.open({ folder: secretsFolder, plain, keyring, keyFile, withoutKeyring, now }),
    plain,
    machine: systemMachine,
    files: systemFiles,
    power,
    log: new FileLog({ folder: join(folder, 'logs'), now }),
    claim,
  };
}
