/** Builds the licensing client of this app, for the window and for the command line. */
import { join } from 'node:path';
import { app } from 'electron';
import { declaredLinkNames, type LinkAddresses } from '../shared/ipc/links.ts';
import type { AppDeclaration } from './app-declaration.ts';
import { findDefaultServer } from './default-server.ts';
import { messagesFor } from './i18n/messages.ts';
import { findLeaseKeys } from './lease-keys-setting.ts';
import { LicensingClient } from './licensing/licensing-client.ts';
import type { Platform } from './licensing/platform.ts';
import { createPlatform } from './platform/create-platform.ts';
import { FileLog } from './platform/log.ts';

/** `latchkey` in package.json, inserted by the build. */
declare const declaration: AppDeclaration;

export type ClientOptions = {
  /** The profile. */
  readonly folder: string;
  readonly withoutKeyring: 'ask' | 'file';
  /** In place of the default one. */
  readonly serverAddress?: string;
};

export type CreatedClient = {
  readonly client: LicensingClient;
  readonly platform: Platform;
  readonly log: FileLog;
  readonly links: LinkAddresses;
  /** Of the links that the app opens. */
  readonly scheme: string;
};

/** Electron must be ready. Rejects with a message for the user if a setting cannot be used. */
export async function createClient({ folder, withoutKeyring, serverAddress }: ClientOptions): Promise<CreatedClient> {
  const { isPackaged } = app;
  const systemLocale = app.getLocale();
  const environment = {
    ...process.env,
    ...(serverAddress === undefined ? {} : { LATCHKEY_SERVER_URL: serverAddress }),
  };
  const found = findDefaultServer({ declared: declaration.server, isPackaged, environment });
  if (found === 'invalid') throw new Error(messagesFor('system', systemLocale).startup.serverAddress);
  const log = new FileLog({ folder: join(folder, 'logs'), now: Date.now });
  const trustedLeaseKeys = findLeaseKeys({ declared: declaration.leaseKeys, isPackaged, environment, log });
  const platform = await createPlatform({ folder, log, withoutKeyring });
  const client = new LicensingClient({
    platform,
    app: {
      version: app.getVersion(),
      platform: platform.machine.platform,
      runtime: process.versions.electron ? 'electron' : 'browser-host',
      ownInstallerKnown: (await platform.files.findOwnInstaller()) !== null,
      links: declaredLinkNames(declaration.links),
    },
    defaultServerAddress: found.address,
    systemLocale,
    ...(trustedLeaseKeys === null ? {} : { trustedLeaseKeys }),
  });
  return { client, platform, log, links: declaration.links, scheme: declaration.scheme };
}
