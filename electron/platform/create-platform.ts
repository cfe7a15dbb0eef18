/** Builds the machine's side of the licensing client's ports. */
import { join } from 'node:path';
import type { Log, Platform } from '../licensing/platform.ts';
import { systemClock } from './clock.ts';
import { hashFile } from './hash-file.ts';
import { systemHttp } from './http.ts';
import { createKeyFileSeal } from './key-file-seal.ts';
import { openKeyringSeal } from './keyring-seal.ts';
import { systemMachine } from './machine.ts';
import { findOwnInstaller } from './own-installer.ts';
import { openPlainStore } from './plain-store.ts';
import { systemPower } from './power.ts';
import { systemRandom } from './random.ts';
import { openSecretStore } from './secret-store.ts';

export type PlatformOptions = {
  /** The profile of the person. */
  readonly folder: string;
  readonly log: Log;
  /** What becomes of secrets where the system has no keyring. */
  readonly withoutKeyring: 'ask' | 'file';
};

/** Opens the stores and gathers the ports; wants Electron to be ready. */
export async function createPlatform({ folder, log, withoutKeyring }: PlatformOptions): Promise<Platform> {
  const { now } = systemClock;
  const secretsFolder = join(folder, 'secrets');
  const plain = await openPlainStore(folder, now);
  const secrets = await openSecretStore({
    folder: secretsFolder,
    plain,
    keyring: await openKeyringSeal(),
    keyFile: createKeyFileSeal(secretsFolder, now),
    withoutKeyring,
    now,
  });
  return {
    clock: systemClock,
    random: systemRandom,
    http: systemHttp,
    secrets,
    plain,
    machine: systemMachine,
    files: { hashFile, findOwnInstaller },
    power: systemPower,
    log,
  };
}
