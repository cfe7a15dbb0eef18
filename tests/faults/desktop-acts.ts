/** Actions of a desktop user that need the server, and what must be true once they have succeeded. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { failed } from '../../electron/cli/command-result.ts';
import { issueLicense, numberedDeviceId } from '../harness/users.ts';
import type { FaultyDesktop } from './faulty-desktop.ts';

export type DesktopAct = {
  readonly name: string;
  /** Parts of the paths that it calls. It cannot succeed without a response from the first one. */
  readonly paths: readonly [string, ...string[]];
  /** Runs before each fault. */
  readonly prepare?: (desktop: FaultyDesktop) => Promise<unknown>;
  /** Performs the action, and returns the exit code of the command line. */
  readonly run: (desktop: FaultyDesktop) => Promise<number>;
  /** The exit codes without a response from the first path; 4 by default. */
  readonly exits?: readonly number[];
  /** The exit code if every request is answered; 0 by default. */
  readonly goodExit?: number;
  /** Runs after it has succeeded. */
  readonly check: (desktop: FaultyDesktop) => Promise<unknown>;
};

const otherDevice = numberedDeviceId(7);

const exitOf = async (result: Promise<{ readonly exit: number }>) => (await result).exit;

/** The other device with a place on a license, by desktop. */
const others = new WeakMap<FaultyDesktop, { readonly key: string; readonly activationId: string }>();
const apiKeys = new WeakMap<FaultyDesktop, string>();

async function activateOther(desktop: FaultyDesktop, licenseKey: string): Promise<string> {
  const body = { license_key: licenseKey, device_id: otherDevice, device_name: 'Old laptop', platform: 'linux x64' };
  const response = await desktop.server.call('activateLicense', { token: desktop.user.token, body });
  return String(response.body.activation_id);
}

const generate = async ({ server, user }: FaultyDesktop) => {
  const { body } = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
  return String(body.api_key);
};

const validity = async ({ server }: FaultyDesktop, api_key: string) =>
  (await server.call('validateApiKey', { body: { api_key } })).body.valid;

async function expectOnlyThisDevice(desktop: FaultyDesktop): Promise<void> {
  expect((await desktop.devices()).map(({ id }) => id)).toEqual([desktop.deviceId]);
  await desktop.client.syncNow();
  expect(desktop.client.getState().license.kind).toBe('works');
}

export const desktopActs: readonly DesktopAct[] = [
  {
    name: 'sign-in',
    paths: ['/auth/login', '/heartbeat', '/license/validate', '/subscription/status'],
    prepare: ({ client }) => client.signOut({ allDevices: false }),
    run: (desktop) => exitOf(desktop.signIn()),
    check: async ({ client }) => expect(client.getState()).toMatchObject({ session: { kind: 'signed-in' } }),
  },
  {
    name: 'activation',
    paths: ['/license/activate', '/license/lease'],
    prepare: async (desktop) => {
      const activation_id = desktop.client.getState().thisDevice?.activationId ?? '';
      await desktop.command('devices release', { activation_id });
    },
    run: (desktop) => exitOf(desktop.command('activate', { license_key: desktop.license.key })),
    check: expectOnlyThisDevice,
  },
  {
    name: 'replacing a device at the limit',
    paths: ['/license/activate', '/license/validate', '/license/lease'],
    prepare: async (desktop) => {
      // This device may work offline, so its own place on the existing license would be reserved.
      const { key } = await issueLicense(desktop.server, '--email', desktop.user.email, '--max-activations', '1');
      others.set(desktop, { key, activationId: await activateOther(desktop, key) });
    },
    run: (desktop) => {
      const { key = '', activationId: replaces = '' } = others.get(desktop) ?? {};
      return exitOf(desktop.command('activate', { license_key: key, replaces }));
    },
    check: async (desktop) => {
      const ids = (await desktop.devices()).map(({ id }) => id);
      expect(ids).not.toContain(otherDevice);
      expect(desktop.client.getState().license.kind).toBe('works');
    },
  },
  {
    name: 'a check',
    paths: ['/heartbeat', '/license/validate', '/subscription/status'],
    run: (desktop) => exitOf(desktop.command('status', { check: true })),
    check: expectOnlyThisDevice,
  },
  {
    name: 'a check after a start',
    paths: ['/auth/refresh', '/heartbeat', '/license/activations', '/api-key/status', '/features', '/about'],
    prepare: (desktop) => desktop.restart(),
    run: (desktop) => exitOf(desktop.command('status', { check: true })),
    check: expectOnlyThisDevice,
  },
  {
    name: 'lease renewal',
    paths: ['/license/lease'],
    run: (desktop) => exitOf(desktop.command('lease renew', {})),
    check: async ({ client }) => expect(client.getState().lease.state).toBe('good'),
  },
  {
    name: 'release of another device',
    paths: ['/license/activations/', '/license/activations', '/subscription/status'],
    prepare: async (desktop) => {
      const { key } = desktop.license;
      others.set(desktop, { key, activationId: await activateOther(desktop, key) });
    },
    run: (desktop) => {
      const { activationId: activation_id = '' } = others.get(desktop) ?? {};
      return exitOf(desktop.command('devices release', { activation_id }));
    },
    check: expectOnlyThisDevice,
  },
  {
    name: 'the list of devices',
    paths: ['/license/activations'],
    run: (desktop) => exitOf(desktop.command('devices', {})),
    check: async ({ client }) => expect(client.getState().devices).toMatchObject({ failure: null, loading: false }),
  },
  {
    name: 'a new API key',
    paths: ['/metrics/api-key'],
    run: async ({ client }) => {
      const generated = await client.generateApiKey({ replace: true });
      return generated.ok ? 0 : failed(generated.failure).exit;
    },
    check: async (desktop) => {
      expect(await validity(desktop, desktop.client.unsavedApiKey() ?? '')).toBe(true);
      const made = desktop.proxy.withheld.map(({ body }) => JSON.parse(body.toString()).api_key);
      // A lost response loses no key: the same one is shown in the end.
      for (const key of made) expect(key).toBe(desktop.client.unsavedApiKey());
    },
  },
  {
    name: 'the report of a leaked key',
    paths: ['/api-key/report'],
    prepare: async (desktop) => {
      const key = await generate(desktop);
      apiKeys.set(desktop, key);
      writeFileSync(join(desktop.folder, 'leaked.txt'), `key = ${key}\n`);
    },
    run: (desktop) => exitOf(desktop.command('scan', { paths: [join(desktop.folder, 'leaked.txt')], report: true })),
    // The exit code for findings.
    goodExit: 3,
    check: async (desktop) => expect(await validity(desktop, apiKeys.get(desktop) ?? '')).toBe(false),
  },
  {
    name: 'the check of an installer',
    paths: ['/binary-hash'],
    prepare: async ({ folder }) => writeFileSync(join(folder, 'App.AppImage'), '99.0.0'),
    run: (desktop) => exitOf(desktop.command('verify', { path: join(desktop.folder, 'App.AppImage') })),
    check: async ({ client }) => expect(client.getState().installer.kind).toBe('genuine'),
  },
  {
    name: 'the check for updates',
    paths: ['/updates/'],
    run: (desktop) => exitOf(desktop.command('updates check', {})),
    check: async ({ client }) =>
      expect(client.getState().updates).toMatchObject({ available: '99.0.0', failure: null }),
  },
  {
    name: 'the doctor',
    paths: ['/binary-hash', '/subscription/status', '/license/validate'],
    run: (desktop) => exitOf(desktop.command('doctor', {})),
    exits: [3, 4],
    check: async ({ client }) => expect(client.getState().doctor?.running).toBe(null),
  },
  {
    name: 'a new name of the device',
    paths: ['/license/activate', '/license/validate'],
    prepare: (desktop) => desktop.command('devices rename', { name: '' }),
    run: (desktop) => exitOf(desktop.command('devices rename', { name: 'Bench 7' })),
    // The name is kept, and sent later.
    exits: [0],
    check: async (desktop) => {
      await desktop.client.syncNow();
      expect(await desktop.devices()).toMatchObject([{ id: desktop.deviceId, name: 'Bench 7' }]);
    },
  },
];
