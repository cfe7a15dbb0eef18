/** Builds this app's licensing client, for the window and the command line. */
import { join } from 'node:path';
import { app } from 'electron';
import { declaredLinkNames, type LinkAddresses } from '../shared/ipc/links.ts';
import type { AppDeclaration } from './app-declaration.ts';
import { findShellCommand } from './cli/shell-command.ts';
import { findDefaultServer } from './default-server.ts';
import { messagesFor } from './i18n/messages.ts';
import { recordVersion } from './last-version.ts';
import { LicensingClient } from './licensing/licensing-client.ts';
import type { Platform } from './licensing/platform.ts';
import { findPinnedKeys } from './pinned-keys-setting.ts';
import { createPlatform } from './platform/create-platform.ts';
import { FileLog } from './platform/log.ts';

/** `latchkey` of package.json, inserted by the build. */
declare const declaration: AppDeclaration;

type ClientOptions = {
  /** The profile folder. */
  readonly folder: string;
  readonly withoutKeyring: 'ask' | 'file';
  /** Whether this process has a window, which says once that the app was updated. */
  readonly hasWindow: boolean;
  /** Replaces both the default address and the one that the user has chosen. */
  readonly serverAddress?: string;
};

type CreatedClient = {
  readonly client: LicensingClient;
  readonly platform: Platform;
  readonly log: FileLog;
  readonly links: LinkAddresses;
  /** Scheme of the links that the app opens. */
  readonly scheme: string;
};

/** Electron must be ready. Rejects with a message for the user if a setting is invalid. */
export async function createClient(options: ClientOptions): Promise<CreatedClient> {
  const { folder, withoutKeyring, hasWindow, serverAddress } = options;
  const { isPackaged } = app;
  const systemLocale = app.getLocale();
  const environment = process.env;
  const found = findDefaultServer({ declared: declaration.server, isPackaged, environment });
  if (found === 'invalid') throw new Error(messagesFor('system', systemLocale).startup.serverAddress);
  const log = new FileLog({ folder: join(folder, 'logs'), now: Date.now });
  const { leaseKeys, updateKeys } = declaration;
  const build = { isPackaged, environment, log };
  const trustedLeaseKeys = findPinnedKeys({ variable: 'LATCHKEY_LEASE_KEYS', declared: leaseKeys, ...build });
  const trustedUpdateKeys = findPinnedKeys({ variable: 'LATCHKEY_UPDATE_KEYS', declared: updateKeys, ...build });
  const platform = await createPlatform({ folder, log, withoutKeyring });
  const updatedFrom = hasWindow ? await recordVersion(platform.plain, log, app.getVersion()) : null;
  const client = new LicensingClient({
    platform,
    app: {
      version: app.getVersion(),
      platform: platform.machine.platform,
      runtime: process.versions.electron ? 'electron' : 'browser-host',
      ownInstallerKnown: (await platform.files.findOwnInstaller()) !== null,
      dataFolder: folder,
      links: declaredLinkNames(declaration.links),
      ...(updatedFrom === null ? {} : { updatedFrom }),
      ...(found.address === null ? {} : { defaultServer: found.address }),
      shellCommand: findShellCommand({
        system: process.platform,
        isPackaged,
        appImage: process.env.APPIMAGE,
        execPath: process.execPath,
        resourcesPath: process.resourcesPath,
        namedProfile: process.env.LATCHKEY_PROFILE && folder,
      }),
    },
    defaultServerAddress: found.address,
    ...(serverAddress === undefined ? {} : { serverAddress }),
    systemLocale,
    ...(trustedLeaseKeys === null ? {} : { trustedLeaseKeys }),
    ...(trustedUpdateKeys === null ? {} : { updateKeys: trustedUpdateKeys.keys }),
  });
  return { client, platform, log, links: declaration.links, scheme: declaration.scheme };
}
