/** What the commands of the client record, and what it shows of itself. */
import { describe, expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { activationId, errorReply, licenseKey, ScriptedServer } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, type TestClient, testApp } from './start-client.ts';
import { about, startLeased } from './start-leased.ts';

const credentials = { email: 'ada@lab.org', password: 'right' };
const password = { password: 'right', language: 'en' } as const;

async function commandsOf({ client }: TestClient) {
  const loaded = await client.loadDiagnostics();
  if (!loaded.ok) throw new Error(loaded.failure.code);
  return loaded.value.timeline.flatMap((entry) =>
    entry.kind === 'command' ? [[entry.command, entry.outcome] as const] : [],
  );
}

describe('the timeline', () => {
  it('has each command with its outcome', async () => {
    const test = await startTestClient();
    const { client, platform } = test;
    await client.signUp({ ...credentials, fullName: 'Ada' });
    await client.signIn(credentials);
    await client.activateLicense({ licenseKey });
    await client.syncNow();
    await client.renewLease();
    await client.replaceLicenseKey({ ...password, password: 'wrong' });
    await client.importLease({ text: 'no lease' });
    await client.releaseDevice({ activationId });
    await client.setServerAddress({ address: 'http://example.org' });
    await client.signOut({ allDevices: false });
    await client.signIn(credentials);
    platform.http.on('POST /auth/account/delete', { json: { success: true } });
    await client.deleteAccount(password);
    expect(await commandsOf(test)).toEqual([
      ['signUp', 'EMAIL_EXISTS'],
      ['signIn', 'done'],
      ['activateLicense', 'done'],
      ['syncNow', 'done'],
      ['renewLease', 'NOT_SUPPORTED_BY_SERVER'],
      ['replaceLicenseKey', 'INVALID_CREDENTIALS'],
      ['importLease', 'LEASE_REFUSED'],
      ['releaseDevice', 'done'],
      ['setServerAddress', 'SERVER_ADDRESS_INVALID'],
      ['signOut', 'done'],
      ['signIn', 'done'],
      ['deleteAccount', 'done'],
    ]);
  });

  it('has how long a command took, which lease was imported and whether this device was released', async () => {
    const test = await startLeased({ pinned: true });
    const { client, platform, signer } = test;
    const respond = platform.http.hold('POST /license/lease');
    const renewing = client.renewLease();
    await platform.clock.advance(1500);
    respond({ json: signer.sign(about(test), platform.clock.now()) });
    expect(await renewing).toEqual({ ok: true, value: null });
    await client.importLease({ text: signer.sign(about(test), platform.clock.now() + 1000).lease });
    await client.releaseDevice({ activationId });
    const loaded = await client.loadDiagnostics();
    const commands = loaded.ok ? loaded.value.timeline.filter(({ kind }) => kind === 'command') : [];
    expect(commands.slice(-3)).toMatchObject([
      { command: 'renewLease', outcome: 'done', took_ms: 1500 },
      { command: 'importLease', outcome: 'done', lease: { kid: 'lease-1', claims: about(test) } },
      { command: 'releaseDevice', outcome: 'done', this_device: true },
    ]);
  });

  it('has the doctor, whether it was made for the user, for a support file or was canceled', async () => {
    const test = await startTestClient();
    const { client } = test;
    expect(await client.runDoctor()).toMatchObject({ ok: true });
    await client.supportFile({ days: 1, includeNames: false });
    Object.assign(test.platform.network, { findProxy: () => new Promise<never>(() => {}) });
    const canceled = client.runDoctor();
    await settle();
    await client.cancelDoctor();
    const result = await canceled;
    expect(await commandsOf(test)).toEqual([
      ['runDoctor', 'done'],
      ['supportFile', 'done'],
      ['runDoctor', 'CANCELED'],
    ]);
    expect(result).toMatchObject({ failure: { code: 'CANCELED', message: 'The check was canceled.' } });
  });

  it('has which features were on', async () => {
    const test = await startActivated();
    await test.platform.clock.advance(0);
    const loaded = await test.client.loadDiagnostics();
    const decisions = loaded.ok ? loaded.value.timeline.filter(({ kind }) => kind === 'decision') : [];
    expect(test.on()).toContain('csv_export');
    expect(decisions.at(-1)).toMatchObject({ features_on: test.on() });
    expect(decisions.at(0)).toMatchObject({ features_on: [] });
  });
});

describe('a check of the server', () => {
  it('is a sync while somebody is signed in, and one request otherwise', async () => {
    const signedIn = await startSignedIn();
    const before = signedIn.platform.http.to('/heartbeat').length;
    expect(await signedIn.client.checkServer()).toEqual({ ok: true, value: null });
    expect(signedIn.platform.http.to('/heartbeat')).toHaveLength(before + 1);
    expect(signedIn.platform.http.to('/binary-hash')).toHaveLength(0);

    const { client, platform } = await startTestClient();
    expect(await client.checkServer()).toEqual({ ok: true, value: null });
    expect(platform.http.to('/binary-hash')).toHaveLength(1);
    platform.http.cut({ fails: 'unreachable' });
    const failing = client.checkServer();
    await platform.clock.advance(1000);
    expect(await failing).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE' } });
  });

  it('is needed for a lease only while somebody is signed in', async () => {
    const { client, platform } = await startTestClient();
    expect(await client.renewLease()).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
    expect(platform.http.to('/license/lease')).toHaveLength(0);
    const loaded = await client.loadDiagnostics();
    expect(loaded.ok && loaded.value.timeline.filter(({ kind }) => kind === 'command')).toEqual([]);
  });

  it('follows a change of the server, but not one that is refused', async () => {
    const platform = createFakePlatform();
    const server = new ScriptedServer(platform);
    platform.http.on('GET /about', { fails: 'unreachable' });
    const { client } = await startTestClient(platform, server);
    await platform.clock.advance(25 * 3_600_000);
    const asked = () => platform.http.to('/about').length;
    const before = asked();
    await client.setServerAddress({ address: 'http://example.org' });
    await settle();
    expect(asked()).toBe(before);
    await client.setServerAddress({ address: 'https://other.example' });
    await settle();
    expect(asked()).toBe(before + 1);
  });

  it('waits for the start if the window comes first', async () => {
    const platform = createFakePlatform();
    const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: 'http://127.0.0.1:8470' });
    client.setForeground(true);
    await settle();
    expect(platform.http.requests).toEqual([]);
    await client.stop();
  });
});

describe('the end of the client', () => {
  it('leaves no timer, not even that of the next check for updates', async () => {
    const platform = createFakePlatform();
    const updater = {
      installation: 'self',
      platform: 'linux_amd64',
      channel: 'latest-linux.yml',
      download: async () => {},
      install: async () => {},
    } as const;
    const client = new LicensingClient({
      platform: { ...platform, updater },
      app: testApp,
      defaultServerAddress: 'http://127.0.0.1:8470',
    });
    await client.start();
    await settle();
    expect(platform.clock.pendingTimers()).toBeGreaterThan(0);
    await client.stop();
    expect(platform.clock.pendingTimers()).toBe(0);
  });

  it('cancels a scan for keys and the verification of an installer', async () => {
    const { client, platform } = await startTestClient();
    const never = () => new Promise<never>(() => {});
    Object.assign(platform.files, { readFile: never, hashFile: never });
    platform.contents.set('/a', new Uint8Array([0x61]));
    const published = { version: '1.0.0', hashes: {}, updated_at: '2026-03-03T09:00:00.000Z' };
    platform.http.on('GET /binary-hash', { json: published });
    const scanning = client.scanForKeys({ paths: ['/a'] });
    const verifying = client.verifyInstaller({ path: '/a' });
    await settle();
    await client.stop();
    expect(await scanning).toMatchObject({ failure: { code: 'CANCELED' } });
    expect(await verifying).toMatchObject({ failure: { code: 'CANCELED' } });
  });
});

describe('what the client says of itself', () => {
  async function userAgentOf(given: {
    readonly clientName?: string;
    readonly platform?: string;
    readonly deviceName?: string;
    readonly version?: string;
  }) {
    const { clientName, version = '1.0.0', ...machine } = given;
    const platform = createFakePlatform();
    Object.assign(platform.machine, machine);
    const client = new LicensingClient({
      platform,
      app: { ...testApp, version },
      defaultServerAddress: 'http://127.0.0.1:8470',
      ...(clientName !== undefined && { clientName }),
    });
    await client.checkServer();
    await client.stop();
    return platform.http.requests.at(-1)?.headers['user-agent'];
  }

  it.each([
    [{}, 'Latchkey/1.0.0 (linux x64; Studio Mac)'],
    [{ clientName: 'My App: 2', version: '1.0.0-beta.1+7' }, 'My-App-2/1.0.0-beta.1+7 (linux x64; Studio Mac)'],
    [{ deviceName: 'Bench (2); \\x' }, 'Latchkey/1.0.0 (linux x64; Bench  2    x)'],
    [{ deviceName: 'Gerät' }, 'Latchkey/1.0.0 (linux x64)'],
    [{ deviceName: 'é1' }, 'Latchkey/1.0.0 (linux x64)'],
    [{ deviceName: '' }, 'Latchkey/1.0.0 (linux x64)'],
  ])('%j as its user agent', async (given, expected) => {
    expect(await userAgentOf(given)).toBe(expected);
  });

  it('whether its session is stored, what cannot be read, and why each feature is on', async () => {
    const test = await startActivated();
    expect(test.client.isSessionStored).toBe(true);
    expect(await test.client.listUnreadable()).toEqual([]);
    Object.assign(test.platform.secrets, { unreadable: async () => ['session'] });
    Object.assign(test.platform.plain, { unreadable: async () => ['preferences'] });
    expect(await test.client.listUnreadable()).toEqual(['session', 'preferences']);
    const explained = await test.client.explainFeatures();
    expect(explained.ok && explained.value.length).toBeGreaterThan(5);
    expect((await startTestClient()).client.isSessionStored).toBe(false);
  });

  it('in a support file: its versions, and no log where the platform keeps none', async () => {
    const { client, platform } = await startTestClient();
    Object.assign(platform.machine, { versions: { electron: '40.0.0' } });
    Object.assign(platform.log, { recent: undefined });
    const made = await client.supportFile({ days: 1, includeNames: false });
    const file = JSON.parse(made.ok ? made.value.text : '{}');
    expect(file).toMatchObject({ system: { electron: '40.0.0' }, log: [] });
  });

  it('whether its device id is that of the machine', async () => {
    const { client } = await startTestClient(createFakePlatform({ machineId: null }));
    expect(client.getState().thisDevice?.idSource).toBe('random');
    expect((await startTestClient()).client.getState().thisDevice?.idSource).toBe('machine');
  });

  it('asks for texts in English if the language of the system is not known', async () => {
    const { platform } = await startActivated();
    expect(platform.http.to('/features').map(({ headers }) => headers['accept-language'])).toContain('en');
  });

  it('nothing of this device before the start, and when the server last answered after an offline one', async () => {
    const platform = createFakePlatform();
    const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: null });
    expect(client.getState()).toMatchObject({ thisDevice: null, keyScan: { kind: 'idle' } });
    const test = await startActivated();
    const { session } = test.client.getState();
    const checkedAt = session.kind === 'signed-in' ? session.account?.checkedAt : undefined;
    const offline = await test.restart(({ http }) => http.cut({ fails: 'unreachable' }));
    expect(offline.client.getState().server.lastAnswerAt).toBe(checkedAt);
    expect(checkedAt).toMatch(/^2026-/);
  });

  it('the subscription and the features of the account', async () => {
    const { client } = await startSignedIn();
    const { session } = client.getState();
    expect(session).toMatchObject({
      account: { subscription: { plan: 'standard' }, features: { csv_export: true, custom_preprocessing: false } },
    });
  });

  it('until when a lease applies', async () => {
    const test = await startLeased({ pinned: true });
    const { lease } = test.signer.sign(about(test), test.platform.clock.now());
    expect(await test.client.readLease({ text: lease })).toMatchObject({
      ok: true,
      value: { license: 'SVC-AB12...GH7X', plan: 'standard', expiresAt: '2026-03-17T09:00:00.000Z' },
    });
  });
});

describe('the license of this device', () => {
  const summary = ({ client }: TestClient) => client.getState().thisDevice?.license;

  it('is not known before there is a key', async () => {
    expect(summary(await startSignedIn())).toBeNull();
  });

  it('is not known until the server has said something of the key', async () => {
    const test = await startTestClient();
    test.server.hasLicense = false;
    await test.client.signIn(credentials);
    await test.sync();
    for (const route of ['POST /license/validate', 'GET /subscription/status']) test.platform.http.hold(route);
    void test.client.activateLicense({ licenseKey });
    await settle();
    expect(test.platform.http.to('/license/activate')).toHaveLength(1);
    expect(summary(test)).toBeNull();
  });

  it('has the counts of the activation, then those of the server', async () => {
    const test = await startActivated();
    const shown = { keyPreview: 'SVC-AB12...GH7X', plan: 'standard', status: 'active' };
    expect(summary(test)).toEqual({ ...shown, activations: 2, maxActivations: 3 });
    test.server.activations = 3;
    await test.sync();
    expect(summary(test)).toEqual({ ...shown, activations: 3, maxActivations: 3 });
  });

  it('that the server refuses has its code, and what the status says of it', async () => {
    const test = await startActivated();
    test.server.invalidCode = 'LICENSE_EXPIRED';
    await test.sync();
    expect(summary(test)).toMatchObject({ status: 'LICENSE_EXPIRED', plan: 'standard', maxActivations: 3 });
  });

  it('that the status does not name has neither plan nor counts once it is refused', async () => {
    const test = await startActivated();
    test.server.invalidCode = 'LICENSE_EXPIRED';
    test.server.hasLicense = false;
    await test.sync();
    expect(summary(test)).toEqual({
      keyPreview: 'SVC-AB12...GH7X',
      plan: '',
      status: 'LICENSE_EXPIRED',
      activations: 0,
      maxActivations: 0,
    });
  });

  it('has the activation of the list if the server gave none', async () => {
    const test = await startSignedIn();
    const deviceId = test.client.getState().thisDevice?.deviceId;
    const at = '2026-03-01T00:00:00.000Z';
    const more = { device_name: 'Mac', platform: 'x', activated_at: at, last_seen_at: at, activity: 'active' };
    const own = { ...more, activation_id: 'own', device_id: deviceId, key_preview: 'SVC-AB12...GH7X' };
    const second = { ...own, activation_id: 'second', key_preview: 'SVC-7777...7777' };
    const other = { ...own, activation_id: 'other', device_id: 'HW-00000000-11111111-22222222-33333333' };
    test.platform.http.on('GET /license/activations', { json: { activations: [other, second, own] } });
    test.server.activated = true;
    await test.client.activateLicense({ licenseKey });
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true, activationId: 'own' });
  });
});

it('an account page of a server without sign-up is asked for only if the sign-up was refused for that', async () => {
  const { client, platform } = await startTestClient();
  await platform.clock.advance(25 * 3_600_000);
  const asked = () => platform.http.to('/about').length;
  const before = asked();
  await client.signUp({ ...credentials, fullName: '' });
  await settle();
  expect(asked()).toBe(before);
  platform.http.on('POST /auth/signup', errorReply(403, 'SIGN_UP_CLOSED'));
  await client.signUp({ ...credentials, fullName: '' });
  await settle();
  expect(asked()).toBe(before + 1);
});
