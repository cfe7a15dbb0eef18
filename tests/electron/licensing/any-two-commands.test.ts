/**
 * Every command of the client in every state, and any two at once: each ends in time with a result, the state is sound,
 * stopping ends everything, and the next start finds the same on the disk.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { HttpRequest, HttpResult } from '../../../electron/licensing/platform.ts';
import { isQuick } from '../../run/long-tests.ts';
import { createFakePlatform, type FakePlatform, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { activationId, licenseKey, ScriptedServer } from './scripted-server.ts';
import { testApp } from './start-client.ts';
import { about } from './start-leased.ts';

const here = 'http://127.0.0.1:8470';
const ada = { email: 'ada@lab.org', password: 'right' };
const mail = { ...ada, language: 'en' } as const;
/** The doctor takes up to a minute, and any request up to 25 s, twice after a refresh. */
const deadlineMs = 3 * 60_000;

type World = {
  readonly client: LicensingClient;
  readonly platform: FakePlatform;
  readonly server: ScriptedServer;
  readonly lease: string;
};

const commands = {
  start: ({ client }) => client.start(),
  stop: ({ client }) => client.stop(),
  subscribe: ({ client }) => client.subscribe(() => {}),
  getState: ({ client }) => client.getState(),
  feature: ({ client }) => client.feature('csv_export'),
  explainFeatures: ({ client }) => client.explainFeatures(),
  signIn: ({ client }) => client.signIn(ada),
  signUp: ({ client }) => client.signUp({ ...ada, email: 'new@lab.org', fullName: 'New' }),
  cancelSignIn: ({ client }) => client.cancelSignIn(),
  signOut: ({ client }) => client.signOut({ allDevices: false }),
  requestPasswordReset: ({ client }) => client.requestPasswordReset(mail),
  changePassword: ({ client }) =>
    client.changePassword({ currentPassword: 'right', newPassword: 'another one', language: 'en' }),
  loadEmail: ({ client }) => client.loadEmail(),
  changeEmail: ({ client }) => client.changeEmail(mail),
  sendEmailConfirmation: ({ client }) => client.sendEmailConfirmation({ language: 'en' }),
  deleteAccount: ({ client }) => client.deleteAccount({ password: 'right', language: 'en' }),
  accountJson: ({ client }) => client.accountJson(),
  listSessions: ({ client }) => client.listSessions(),
  endSession: ({ client }) => client.endSession({ sessionId: 's' }),
  setServerAddress: ({ client }) => client.setServerAddress({ address: 'https://elsewhere.example' }),
  chooseSecretStorage: ({ client }) => client.chooseSecretStorage({ keep: true }),
  syncNow: ({ client }) => client.syncNow(),
  checkServer: ({ client }) => client.checkServer(),
  listUnreadable: ({ client }) => client.listUnreadable(),
  loadDiagnostics: ({ client }) => client.loadDiagnostics(),
  supportFile: ({ client }) => client.supportFile({ days: 1, includeNames: false }),
  runDoctor: ({ client }) => client.runDoctor(),
  cancelDoctor: ({ client }) => client.cancelDoctor(),
  readLease: ({ client, lease }) => client.readLease({ text: lease }),
  importLease: ({ client, lease }) => client.importLease({ text: lease }),
  requestLease: ({ client }) => client.requestLease({ licenseKey }),
  renewLease: ({ client }) => client.renewLease(),
  activateLicense: ({ client }) => client.activateLicense({ licenseKey }),
  listDevices: ({ client }) => client.listDevices(),
  releaseDevice: ({ client }) => client.releaseDevice({ activationId }),
  renameDevice: ({ client }) => client.renameDevice({ name: 'Bench 4' }),
  generateApiKey: ({ client }) => client.generateApiKey({ replace: true }),
  checkApiKey: ({ client }) => client.checkApiKey(),
  replaceLicenseKey: ({ client }) => client.replaceLicenseKey({ password: 'right', language: 'en' }),
  unsavedApiKey: ({ client }) => client.unsavedApiKey(),
  confirmApiKeySaved: ({ client }) => client.confirmApiKeySaved(),
  scanForKeys: ({ client }) => client.scanForKeys({ text: licenseKey }),
  cancelKeyScan: ({ client }) => client.cancelKeyScan(),
  reportLeakedKey: ({ client }) => client.reportLeakedKey({ id: 1 }),
  verifyInstaller: ({ client }) => client.verifyInstaller({ path: '/own/installer' }),
  verifyInstallation: ({ client }) => client.verifyInstallation(),
  checkForUpdates: ({ client }) => client.checkForUpdates(),
  installUpdate: ({ client }) => client.installUpdate(),
  cancelVerification: ({ client }) => client.cancelVerification(),
  changeSettings: ({ client }) => client.changeSettings({ heartbeatIntervalSeconds: 600 }),
  dismissWarning: ({ client }) => client.dismissWarning({ id: 'none' }),
  historyCsv: ({ client }) => client.historyCsv(),
  recordHistoryExport: ({ client }) => client.recordHistoryExport('history.csv'),
} as const satisfies Record<string, (world: World) => unknown>;
type Name = keyof typeof commands;
const names = Object.keys(commands) as Name[];

/** Each brings a client that is not started yet into a state; what it returns is still in progress. */
const states = {
  'before the start': async () => null,
  starting: async ({ client }) => void client.start(),
  'signed out': async ({ client }) => client.start(),
  'signing in': async ({ client }) => {
    await client.start();
    void client.signIn(ada);
  },
  'signed in': async ({ client }) => {
    await client.start();
    await client.signIn(ada);
    await settle();
  },
  activated: startActivated,
  'during a sync': async (world) => {
    await startActivated(world);
    void world.client.syncNow();
  },
  offline: async (world) => {
    await startActivated(world);
    world.platform.http.cut({ fails: 'unreachable' });
  },
  'with a session that the server has ended': async (world) => {
    await startActivated(world);
    world.server.accessTokens.clear();
    world.server.refreshToken = 'another';
  },
  'with a refresh due': async (world) => {
    await startActivated(world);
    world.server.accessTokens.clear();
  },
  'on a full disk': async (world) => {
    await startActivated(world);
    world.platform.secrets.setFailing(true);
    world.platform.plain.setFailing(true);
  },
  stopping: async (world) => {
    await startActivated(world);
    void world.client.stop();
  },
  stopped: async (world) => {
    await startActivated(world);
    await world.client.stop();
  },
} as const satisfies Record<string, (world: World) => Promise<unknown>>;
type State = keyof typeof states;

async function startActivated({ client }: World): Promise<void> {
  await client.start();
  await client.signIn(ada);
  await settle();
  await client.activateLicense({ licenseKey });
  await settle();
}

function create(): World {
  const platform = createFakePlatform();
  const server = new ScriptedServer(platform);
  server.leases = new LeaseSigner();
  const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: here });
  endWithSignal(platform);
  slowDown(platform);
  const deviceId = 'HW-1443B4A8-FD238592-1BE5A2D3-8E9CDB3F';
  const claims = about({ client: { getState: () => ({ thisDevice: { deviceId } }) }, server } as never);
  return { client, platform, server, lease: server.leases.sign(claims, platform.clock.now()).lease };
}

/** Requests end with their signal, as `fetch` does. */
function endWithSignal({ http }: FakePlatform): void {
  const { send } = http;
  const canceled = ({ signal }: HttpRequest) =>
    new Promise<HttpResult>((resolve) => {
      const end = () => resolve({ ok: false, reason: 'canceled', message: '' });
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    });
  Object.assign(http, { send: (request: HttpRequest) => Promise.race([canceled(request), send(request)]) });
}

/** Writes take some turns of the event loop, like those of a disk. */
function slowDown({ secrets, plain }: FakePlatform): void {
  for (const store of [secrets, plain]) {
    const { write } = store;
    const later = async (name: string, value: string) => {
      await new Promise((resolve) => setImmediate(resolve));
      return write(name, value);
    };
    Object.assign(store, { write: later });
  }
}

/** What of the state the next start must find. */
function stored(client: LicensingClient) {
  const { session, server, features, thisDevice, settings, apiKey, lease } = client.getState();
  return {
    user: session.kind === 'signed-in' ? session.user.email : null,
    address: server.address,
    on: features.filter(({ on }) => on).map(({ feature }) => feature),
    device: thisDevice && { name: thisDevice.name, activated: thisDevice.activated, id: thisDevice.deviceId },
    settings,
    apiKey: apiKey?.prefix ?? null,
    lease: [lease.state, lease.expiresAt],
  };
}

async function run(state: State, [first, second]: readonly [Name, Name], turns: number): Promise<void> {
  const world = create();
  const { client, platform } = world;
  await states[state](world);
  const began = [];
  began.push(commands[first](world));
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  began.push(commands[second](world));
  const results: unknown[] = [];
  const ended = Promise.all(began).then((values) => results.push(...values));
  await platform.clock.advance(deadlineMs);
  expect(results, 'commands that have ended').toHaveLength(2);
  await ended;
  for (const { feature, on } of client.getState().features) expect(client.feature(feature).ok, feature).toBe(on);
  const { devices, sessions, updates, syncing } = client.getState();
  expect([devices.loading, sessions.loading, updates.working, syncing]).toEqual([false, false, null, false]);
  const stopping = client.stop();
  await platform.clock.advance(1000);
  await stopping;
  const { secrets, plain } = platform;
  const written = secrets.writes.length + plain.writes.length;
  await platform.clock.advance(3_600_000);
  expect(secrets.writes.length + plain.writes.length, 'writes after the stop').toBe(written);
  // Nothing can be stored, or nothing was read.
  if (state === 'on a full disk' || state === 'before the start') return;
  const again = createFakePlatform({
    secretValues: secrets.values,
    plainValues: plain.values,
    clock: platform.clock,
    http: platform.http,
  });
  const next = new LicensingClient({ platform: again, app: testApp, defaultServerAddress: here });
  platform.http.cut({ fails: 'unreachable' });
  await next.start();
  expect(stored(next)).toEqual(stored(client));
  await next.stop();
}

it('every command is tried', () => {
  const all = Object.getOwnPropertyNames(LicensingClient.prototype);
  expect(names.toSorted()).toEqual(
    all.filter((name) => !['constructor', 'isSessionStored', 'updates'].includes(name)).toSorted(),
  );
});

it('any two commands, in any state and at once, end in time and leave nothing behind', async () => {
  const state = fc.constantFrom(...(Object.keys(states) as State[]));
  const name = fc.constantFrom(...names);
  const property = fc.asyncProperty(state, fc.tuple(name, name), fc.nat({ max: 2 }), run);
  await fc.assert(property, { numRuns: isQuick ? 100 : 2000 });
});
