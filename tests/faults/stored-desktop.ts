/**
 * The licensing client on the desktop's real stores in a profile folder, with a scripted server and its own test clock.
 */
import '../harness/electron-shim.ts';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClientCommand, type ClientCommandInput, runClientCommand } from '../../electron/cli/client-commands.ts';
import type { StatusDocument } from '../../electron/cli/status-document.ts';
import { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import { createFakePlatform, type FakePlatform } from '../electron/fake-platform.ts';
import { LeaseSigner } from '../electron/licensing/lease-signer.ts';
import { licenseKey, ScriptedServer } from '../electron/licensing/scripted-server.ts';
import { testApp } from '../electron/licensing/start-client.ts';

const { FilePlainStore } = await import('../../electron/platform/plain-store.ts');
const { FileSecretStore } = await import('../../electron/platform/secret-store.ts');
const { KeyFileEncryption } = await import('../../electron/platform/encryption.ts');

/**
 * Creates a folder for profiles, in memory if possible: hundreds of profiles are written, and power losses are not
 * tested. The caller removes it.
 */
export function makeProfileFolder(): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'latchkey-test-'));
}

/** A server, and a machine that can reach it. */
export class StoredWorld {
  readonly machine: FakePlatform = createFakePlatform();
  readonly server = new ScriptedServer(this.machine);

  constructor(kid = 'lease-1') {
    this.server.leases = new LeaseSigner(kid);
  }

  goOnline(): void {
    this.machine.http.cut(null);
  }

  goOffline(): void {
    this.machine.http.cut({ fails: 'unreachable' });
  }
}

export class StoredDesktop {
  readonly client: LicensingClient;
  readonly folder: string;

  private constructor(client: LicensingClient, folder: string) {
    this.client = client;
    this.folder = folder;
  }

  /** Starts the app on the profile in that folder. */
  static async start({ machine }: StoredWorld, folder: string): Promise<StoredDesktop> {
    const now = Date.now;
    const secretsFolder = join(folder, 'secrets');
    const plain = await FilePlainStore.open({ folder, now });
    const secrets = await FileSecretStore.open({
      folder: secretsFolder,
      plain,
      keyring: null,
      keyFile: new KeyFileEncryption({ folder: secretsFolder, now }),
      withoutKeyring: 'file',
      now,
    });
    const { http, clock } = machine;
    const platform = { ...createFakePlatform({ http, clock }), plain, secrets };
    const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: 'http://127.0.0.1:8470' });
    await client.start();
    return new StoredDesktop(client, folder);
  }

  /** Signs in and activates if necessary, and refreshes everything. */
  async recover(): Promise<void> {
    const { client } = this;
    if (client.getState().session.kind !== 'signed-in') await this.signIn();
    if (!client.getState().thisDevice?.activated) await client.activateLicense({ licenseKey });
    await client.syncNow();
  }

  signIn() {
    return this.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
  }

  /** Runs a CLI command. */
  command<Name extends ClientCommand>(name: Name, input: ClientCommandInput<Name>) {
    const { client, folder: profile } = this;
    const context = { client, profile, hasWindow: false, scheme: 'latchkey', openRequests: null, server: undefined };
    const log = { info: () => undefined, warn: () => undefined };
    return runClientCommand(name, input, { ...context, log, signal: new AbortController().signal });
  }

  async status(): Promise<StatusDocument> {
    const result = await this.command('status', { check: false });
    if (!('value' in result)) throw new Error(`status failed: ${JSON.stringify(result)}`);
    return result.value as StatusDocument;
  }

  /** The enabled features. */
  get on(): string[] {
    return this.client.getState().features.flatMap(({ feature, on }) => (on ? [feature] : []));
  }

  get sessionKind(): string {
    return this.client.getState().session.kind;
  }

  get licenseKind(): string {
    return this.client.getState().license.kind;
  }

  stop(): Promise<void> {
    return this.client.stop();
  }
}
