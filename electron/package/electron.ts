/**
 * `latchkey-client/electron`: the ports in the main process of an Electron app, its commands for a page, and its links.
 */
import { app, ipcMain, net } from 'electron';
import type { ActivationOutcome } from '../../shared/ipc/activation-outcome.ts';
import { commandChannel, stateChannel } from '../../shared/ipc/channels.ts';
import { ipcSchema } from '../../shared/ipc/ipc-schema.ts';
import type { OpenRequest } from '../../shared/ipc/open-request.ts';
import type { Done, Result } from '../../shared/ipc/result.ts';
import { handleCommand, originOf } from '../ipc/handle-command.ts';
import type { Log, Platform } from '../licensing/platform.ts';
import { followOpenings } from '../opening/follow-openings.ts';
import { OpenRequests } from '../opening/open-requests.ts';
import { registerScheme } from '../opening/register-scheme.ts';
import { createElectronFetch } from '../platform/electron-fetch.ts';
import { createElectronNetwork } from '../platform/electron-network.ts';
import { KeyringEncryption } from '../platform/encryption.ts';
import { createHttp } from '../platform/http.ts';
import { findProxyCredentials, isLoopback } from '../platform/proxy-environment.ts';
import { systemClock, systemPower } from '../platform/system.ts';
import type { LicensingClient } from './create-licensing-client.ts';
import type { LicensingBridge } from './licensing-bridge.ts';
import { openPlatform } from './open-platform.ts';
import { type PageCommandName, pageCommandNames } from './page-command-names.ts';

export type { LicensingBridge };

export type ElectronPlatformOptions = {
  /** The profile folder, such as `app.getPath('userData')`. */
  readonly folder: string;
  /** How secrets are stored without a keyring: ask the user (`state.secretStorage`), or use encrypted files. */
  readonly withoutKeyring: 'ask' | 'file';
};

/**
 * Opens the stores in the folder. Secrets are encrypted with the system's keyring, and requests use the system's proxy
 * and certificates; `HTTPS_PROXY` may contain the proxy's credentials. Rejects if the folder cannot be used, or if
 * Electron is not ready.
 * @example
 * import { createElectronPlatform } from 'latchkey-client/electron';
 *
 * const platform = await createElectronPlatform({ folder: 'profile', withoutKeyring: 'ask' });
 * console.log(platform.machine.deviceName);
 */
export async function createElectronPlatform(options: ElectronPlatformOptions): Promise<Platform> {
  // Before that there seems to be no keyring, and secrets would be stored without it.
  if (!app.isReady()) throw new Error('createElectronPlatform: wait for app.whenReady() first.');
  const { env: environment } = process;
  const byElectron = createElectronFetch(
    (request) => net.request(request),
    (proxy) => findProxyCredentials(environment, proxy),
  );
  return openPlatform({
    ...options,
    keyring: await KeyringEncryption.open(),
    // A server on this machine is never reached through a proxy.
    http: createHttp((url, init) => (isLoopback(url) ? fetch(url, init) : byElectron(url, init))),
    network: createElectronNetwork(environment),
    power: systemPower,
  });
}

/** The part of Electron's `BrowserWindow` that is used. */
export type PageWindow = {
  isDestroyed(): boolean;
  readonly webContents: {
    readonly mainFrame: { readonly url: string };
    send(channel: string, ...values: unknown[]): void;
  };
};

export type RegisterCommandsOptions = {
  readonly window: PageWindow;
  /**
   * Origin of the only page that may call the commands and gets the state, such as `app://sketcher` or
   * `https://app.example.org`.
   */
  readonly origin: string;
  readonly log?: Log;
};

const silentLog: Log = { info: () => {}, warn: () => {} };

/**
 * Exposes the client's commands to the page of the window and sends it each new state; `latchkey-client/preload` is the
 * other end. Returns a function that stops both.
 * @example
 * import type { BrowserWindow } from 'electron';
 * import type { LicensingClient } from 'latchkey-client';
 * import { registerCommands } from 'latchkey-client/electron';
 *
 * export function openPage(window: BrowserWindow, client: LicensingClient): void {
 *   const end = registerCommands(client, { window, origin: 'app://sketcher' });
 *   window.on('closed', end);
 * }
 */
export function registerCommands(client: LicensingClient, options: RegisterCommandsOptions): () => void {
  const { window, log = silentLog } = options;
  // The option may include a path, such as the page's.
  const ownOrigin = originOf(options.origin);
  if (ownOrigin === null) throw new TypeError('origin: it must be that of the page, such as app://sketcher.');
  const guard = { window, ownOrigin, now: systemClock.now, log };
  const commands: Record<PageCommandName, (input: never) => unknown> = {
    getState: () => client.state,
    signIn: client.signIn,
    signUp: client.signUp,
    signOut: client.signOut,
    chooseSecretStorage: client.chooseSecretStorage,
    activateLicense: client.activate,
    listDevices: client.listDevices,
    releaseDevice: client.releaseDevice,
    importLease: client.lease.import,
    verifyInstaller: client.verifyInstaller,
    runDoctor: client.doctor,
  };
  const { verifyInstaller } = ipcSchema;
  const inputs = { ...ipcSchema, verifyInstaller: { input: verifyInstaller.input.refine(isOnThisMachine) } };
  for (const name of pageCommandNames) {
    const run = (input: unknown) => commands[name](input as never);
    ipcMain.handle(commandChannel(name), handleCommand({ name, input: inputs[name].input, run }, guard));
  }
  const unsubscribe = client.subscribe((state) => {
    if (window.isDestroyed() || originOf(window.webContents.mainFrame.url) !== ownOrigin) return;
    window.webContents.send(stateChannel, state);
  });
  return () => {
    unsubscribe();
    for (const name of pageCommandNames) ipcMain.removeHandler(commandChannel(name));
  };
}

/** Windows signs in to the host of a network path, which a script injected into the page could choose. */
function isOnThisMachine({ path }: { readonly path: string }): boolean {
  return !/^[\\/]{2}/.test(path);
}

export type DeepLinksOptions = {
  /** Scheme of the app's links, such as `sketcher` for `sketcher://activate?key=…`. */
  readonly scheme: string;
  /** Shows the window. */
  readonly reveal: () => void;
};

export type DeepLinkTarget = {
  readonly client: LicensingClient;
  readonly platform: Platform;
  /** Called with what was opened, which the user must confirm before anything happens; `null` once it is closed. */
  readonly onRequest: (request: OpenRequest | null) => void;
};

export type DeepLinks = {
  /** Passes on everything opened so far, and later requests as they arrive. */
  readonly connect: (target: DeepLinkTarget) => ConnectedLinks;
};

export type ConnectedLinks = {
  /** The pending request, if any. */
  readonly current: () => OpenRequest | null;
  /** Activates this device with the key of a link that the user was shown. */
  readonly activate: (input: { readonly id: string; readonly replaces?: string }) => Promise<Result<ActivationOutcome>>;
  /** Call it when the user has seen the request or has declined it. */
  readonly close: (input: { readonly id: string }) => Done;
};

/**
 * Handles the links and `.lease` files that are opened with the app. Call it before Electron is ready and after
 * `app.requestSingleInstanceLock()`: a link opened while the app is running comes from a second start. Throws a
 * `TypeError` for a scheme that is not in lower case, or is more than its name.
 * @example
 * import type { LicensingClient, Platform } from 'latchkey-client';
 * import { deepLinks } from 'latchkey-client/electron';
 *
 * const links = deepLinks({ scheme: 'sketcher', reveal: () => console.log('show the window') });
 *
 * export function followLinks(client: LicensingClient, platform: Platform) {
 *   return links.connect({ client, platform, onRequest: (request) => console.log(request?.kind) });
 * }
 */
export function deepLinks({ scheme, reveal }: DeepLinksOptions): DeepLinks {
  // The system passes on links in lower case, so that another scheme would match none.
  if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) throw new TypeError('scheme: it must be a name such as sketcher.');
  const openings = followOpenings(process.argv.slice(app.isPackaged ? 1 : 2), reveal);
  return {
    connect: ({ client, platform, onRequest }) => {
      registerScheme(scheme);
      const activateLicense = client.activate;
      const requests = new OpenRequests({ ...platform, scheme, client: { activateLicense }, reveal, show: onRequest });
      openings.connect(requests);
      return {
        current: () => requests.getOpenRequest(),
        activate: (input) => requests.activateFromLink(input),
        close: (input) => requests.closeOpenRequest(input),
      };
    },
  };
}
