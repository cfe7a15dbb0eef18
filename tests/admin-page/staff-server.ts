/** A real server for a single spec, its first link, and what an admin or a device does on it. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { formatDeviceId } from '../../shared/formats/device-id.ts';
import { Admin } from '../harness/admin.ts';
import { limitsOff, type Settings } from '../harness/environment.ts';
import { freePort } from '../harness/free-port.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { localhost } from './page-fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: each command prints another document, and a spec knows which command it ran
type Printed = any;

export type StaffServer = {
  readonly url: string;
  /** The link that the server prints at its start while there is no staff. */
  readonly firstLink: () => Promise<string>;
  /** Runs an admin command with `--json`; rejects if it fails. */
  readonly admin: (words: readonly string[], stdin?: string) => Promise<Printed>;
  /** Creates an account with a subscription and a license that is active on one device. */
  readonly seedUser: (email: string) => Promise<SeededUser>;
  /** Makes the last confirmation of every member of staff too old. */
  readonly forgetConfirmations: () => void;
  /** Marks every device as used by several installations an hour ago. */
  readonly markSharedDevices: () => void;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

export type SeededUser = {
  readonly email: string;
  readonly licenseId: string;
  readonly licenseKey: string;
  readonly deviceId: string;
};

export const userPassword = 'quiet harbor lantern 47';

/** Starts a server that uses the same port after each restart: that of the settings, or a free one. */
export async function openStaffServer(folder: string, settings: Settings = {}): Promise<StaffServer> {
  const port = settings.LATCHKEY_PORT ?? (await freePort());
  const admin = new Admin(folder, {
    ...limitsOff,
    LATCHKEY_PORT: `${port}`,
    LATCHKEY_LOG_LEVEL: 'warn',
    ...settings,
  });
  const url = `http://localhost:${port}`;
  let running: ServerProcess | undefined;
  const run = (words: readonly string[], stdin?: string) => admin.json<Printed>(words, stdin);
  const execute = (statement: string) => {
    const database = new DatabaseSync(join(folder, 'latchkey.db'));
    database.exec(`pragma busy_timeout = 5000; ${statement}`);
    database.close();
  };
  const server: StaffServer = {
    url,
    admin: run,
    firstLink: () => readFirstLink(running),
    seedUser: async (email) => {
      await run(['user', 'create', '--email', email, '--password-stdin'], userPassword);
      await run(['subscription', 'set', email, '--plan', 'standard']);
      const issued = await run(['license', 'issue', '--email', email, '--with-subscription']);
      const deviceId = await activate(url, email, issued.license_key);
      return { email, licenseId: issued.license.id, licenseKey: issued.license_key, deviceId };
    },
    forgetConfirmations: () => execute('update staff_sessions set confirmed_at_ms = 0'),
    markSharedDevices: () => execute(`update activations set several_installations_at_ms = ${Date.now() - 3_600_000}`),
    start: async () => {
      running = await startServer(admin.settings, { log: 'inherit' });
    },
    stop: async () => void (await running?.stop()),
  };
  await server.start();
  return server;
}

async function readFirstLink(server: ServerProcess | undefined): Promise<string> {
  if (server === undefined) throw new Error('the server is not running');
  const stdout = server.process.stdout;
  for (;;) {
    const link = /^first admin: (\S+)$/m.exec(server.stdout())?.[1];
    if (link !== undefined) return localhost(link);
    await new Promise((resolve) => stdout?.once('data', resolve));
  }
}

/** Signs in as the user and activates the license on a new device. */
export async function activate(url: string, email: string, licenseKey: string, name = 'Studio Mac'): Promise<string> {
  const { access_token } = await post(url, '/auth/login', { email, password: userPassword });
  const device_id = formatDeviceId(randomBytes(16));
  const body = { license_key: licenseKey, device_id, device_name: name, platform: 'darwin arm64' };
  await post(url, '/license/activate', body, access_token);
  return device_id;
}

/** The server's answer to a user's client about its license. */
export async function validate(url: string, user: SeededUser): Promise<Printed> {
  const { access_token } = await post(url, '/auth/login', { email: user.email, password: userPassword });
  return post(url, '/license/validate', { license_key: user.licenseKey, device_id: user.deviceId }, access_token);
}

/** Issues a lease to the user's device, and then releases it as the user. */
export async function releaseWithLease(url: string, user: SeededUser): Promise<void> {
  const { access_token } = await post(url, '/auth/login', { email: user.email, password: userPassword });
  await post(url, '/license/lease', { device_id: user.deviceId }, access_token);
  const headers = { authorization: `Bearer ${access_token}` };
  const listed = await (await fetch(`${url}/api/v1/license/activations`, { headers })).json();
  const [{ activation_id }] = listed.activations;
  const path = `/api/v1/license/activations/${activation_id}`;
  const released = await fetch(`${url}${path}`, { method: 'DELETE', headers });
  if (!released.ok) throw new Error(`${path} responded ${released.status}`);
}

async function post(url: string, path: string, body: object, token?: string): Promise<Printed> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} responded ${response.status}: ${await response.text()}`);
  return response.json();
}
