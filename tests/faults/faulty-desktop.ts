/**
 * The licensing client of the desktop on its real platform, with its own account, behind a proxy that injects faults.
 */
import '../harness/electron-shim.ts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type ClientCommand, type ClientCommandInput, runClientCommand } from '../../electron/cli/client-commands.ts';
import type { CommandResult } from '../../electron/cli/command-result.ts';
import { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import { testApp } from '../electron/licensing/start-client.ts';
import { FaultProxy } from '../harness/fault-proxy.ts';
import type { HttpServer } from '../harness/http-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { type IssuedLicense, issueLicense, subscriber, type User } from '../harness/users.ts';

const { createPlatform } = await import('../../electron/platform/create-platform.ts');

const silent = { info: () => undefined, warn: () => undefined };

export class FaultyDesktop {
  readonly server: HttpServer;
  readonly proxy: FaultProxy;
  readonly user: User;
  readonly license: IssuedLicense;
  readonly folder = makeTemporaryFolder();
  readonly #machineId = randomUUID().replaceAll('-', '');
  #client: LicensingClient | undefined;

  private constructor(server: HttpServer, proxy: FaultProxy, user: User, license: IssuedLicense) {
    this.server = server;
    this.proxy = proxy;
    this.user = user;
    this.license = license;
  }

  /** Starts a desktop that is signed in and activated for a subscriber with a license. The caller stops it. */
  static async start(server: HttpServer): Promise<FaultyDesktop> {
    const user = await subscriber(server);
    const license = await issueLicense(server, '--email', user.email, '--with-subscription');
    const desktop = new FaultyDesktop(server, await FaultProxy.start(server.url), user, license);
    await desktop.#open();
    await desktop.signIn();
    await desktop.command('activate', { license_key: license.key });
    return desktop;
  }

  get client(): LicensingClient {
    if (this.#client === undefined) throw new Error('The desktop is not running.');
    return this.#client;
  }

  get deviceId(): string {
    return this.client.getState().thisDevice?.deviceId ?? '';
  }

  /** Closes the app, and starts it again on the same profile. */
  async restart(): Promise<void> {
    await this.client.stop();
    await this.#open();
  }

  /** Closes the app, and deletes what it has stored. */
  async stop(): Promise<void> {
    await this.#client?.stop();
    this.proxy.stop();
    removeFolder(this.folder);
  }

  /** Runs a CLI command in the process that holds the profile. */
  command<Name extends ClientCommand>(name: Name, input: ClientCommandInput<Name>): Promise<CommandResult> {
    const { client, folder: profile } = this;
    const context = { client, profile, hasWindow: false, scheme: 'latchkey', openRequests: null, server: undefined };
    const log = { info: () => undefined, warn: () => undefined };
    return runClientCommand(name, input, { ...context, log, signal: new AbortController().signal });
  }

  signIn(): Promise<CommandResult> {
    return this.command('sign-in', { email: this.user.email, password: this.user.password });
  }

  /** Returns the devices that have a place on the license according to the server. */
  async devices(): Promise<{ readonly id: string; readonly name: string; readonly activationId: string }[]> {
    const { body } = await this.server.call('listActivations', { token: this.user.token });
    const activations = body.activations as readonly Readonly<Record<string, string>>[];
    return activations.map(({ device_id = '', device_name = '', activation_id = '' }) => ({
      id: device_id,
      name: device_name,
      activationId: activation_id,
    }));
  }

  async #open(): Promise<void> {
    const platform = await createPlatform({
      folder: join(this.folder, 'profile'),
      log: silent,
      withoutKeyring: 'file',
    });
    const readMachineId = async () => ({ kind: 'value', value: this.#machineId }) as const;
    const machine = { ...platform.machine, deviceName: 'Bench', readMachineId };
    this.#client = new LicensingClient({
      platform: { ...platform, machine },
      app: testApp,
      defaultServerAddress: this.proxy.url,
    });
    await this.#client.start();
  }
}
