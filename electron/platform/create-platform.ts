/** Implements the licensing client's ports with Electron and Node. */
import { join } from 'node:path';
import type { Log, Platform } from '../licensing/platform.ts';
import { createSystemUpdater } from './app-updater.ts';
import { KeyFileEncryption, KeyringEncryption } from './encryption.ts';
import { systemFiles } from './files.ts';
import { FilePlainStore } from './plain-store.ts';
import { FileSecretStore } from './secret-store.ts';
import { systemClock, systemMachine, systemPower, systemRandom } from './system.ts';
import { createSystemHttp } from './system-http.ts';
import { createSystemNetwork } from './system-network.ts';

export type PlatformDeps = {
  /** The user's profile folder. */
  readonly folder: string;
  readonly log: Log;
  /** How secrets are stored without a keyring: ask the user, or use encrypted files. */
  readonly withoutKeyring: 'ask' | 'file';
};

/** Opens the stores. Electron must be ready. Rejects with a sentence if a setting cannot be used. */
export async function createPlatform({ folder, log, withoutKeyring }: PlatformDeps): Promise<Platform> {
  const { now } = systemClock;
  const http = createSystemHttp(process.env);
  const secretsFolder = join(folder, 'secrets');
  const network = createSystemNetwork(process.env);
  const plain = await FilePlainStore.open({ folder, now });
  const secrets = await FileSecretStore.open({
    folder: secretsFolder,
    plain,
    keyring: await KeyringEncryption.open(),
    keyFile: new KeyFileEncryption({ folder: secretsFolder, now }),
    withoutKeyring,
    now,
  });
  return {
    clock: systemClock,
    random: systemRandom,
    http,
    network,
    secrets,
    plain,
    machine: systemMachine,
    files: systemFiles,
    power: systemPower,
    updater: createSystemUpdater({ folder, log }),
    log,
  };
}
