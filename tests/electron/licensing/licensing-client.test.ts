/** The whole client: its first use, and the rules that apply to every module. */
import { describe, expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { errorReply, licenseKey, missing, newKey } from './scripted-server.ts';
import { licenseDocumentName, startActivated, startSignedIn, startTestClient, testApp } from './start-client.ts';

describe('the first use', () => {
  it('starts signed out, with every feature off for that reason', async () => {
    const { client } = await startTestClient();
    const state = client.getState();
    expect(state.session).toEqual({ kind: 'signed-out', reason: null });
    expect(state.features.every((feature) => !feature.on && feature.reason.kind === 'signed-out')).toBe(true);
  });

  it('fails with the server’s code for a wrong password', async () => {
    const { client } = await startTestClient();
    const done = await client.signIn({ email: 'ada@lab.org', password: 'wrong' });
    expect(done).toMatchObject({ ok: false, failure: { code: 'INVALID_CREDENTIALS' } });
    expect(client.getState().session.kind).toBe('signed-out');
  });

  it('signs in and shows the account, with this device not activated', async () => {
    const { client, on } = await startSignedIn();
    const state = client.getState();
    expect(state.session).toMatchObject({
      kind: 'signed-in',
      user: { email: 'ada@lab.org' },
      account: { hasSubscription: true },
    });
    expect(state.license).toEqual({ kind: 'not-activated' });
    expect(on()).toEqual([]);
    expect(state.heartbeat.lastAt).not.toBeNull();
    expect(state.server.deviceList).toBe('available');
  });

  it('activates the device and turns on the features of the plan', async () => {
    const { client, on } = await startActivated();
    const state = client.getState();
    expect(state.license).toMatchObject({ kind: 'works', plan: 'standard', until: '2026-12-24T00:00:00.000Z' });
    expect(on()).toEqual([
      'real_time_visualization',
      'osc_lsl_streaming',
      'session_recording',
      'csv_export',
      'api_access',
      'signal_filtering',
    ]);
    expect(state.features.find(({ feature }) => feature === 'mental_state_detection')).toEqual({
      feature: 'mental_state_detection',
      on: false,
      reason: { kind: 'plan', plan: 'standard', availableOn: 'advanced' },
    });
    expect(state.thisDevice).toMatchObject({
      activated: true,
      license: { keyPreview: 'SVC-AB12...GH7X', activations: 2 },
    });
    expect(state.devices.value?.map((device) => device.isThisDevice)).toEqual([false, true]);
  });

  it('accepts the key as a user types it', async () => {
    const { client } = await startSignedIn();
    const result = await client.activateLicense({ licenseKey: ` ${licenseKey.toLowerCase().replaceAll('-', ' ')} ` });
    expect(result).toMatchObject({ ok: true, value: { kind: 'activated', activations: 2, maxActivations: 3 } });
  });

  it('is still signed in and activated after a restart, before any response', async () => {
    const testClient = await startActivated();
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, on } = await testClient.restart();
    expect(client.getState().session).toMatchObject({ kind: 'signed-in', user: { email: 'ada@lab.org' } });
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard' });
    expect(on()).toHaveLength(6);
  });
});

/** Responses that decide nothing, whatever they look like. */
const inconclusive: Record<string, Reply> = {
  'a server that cannot be reached': { fails: 'unreachable' },
  'a time-out': { fails: 'timeout' },
  'a response too large to read': { fails: 'too-large' },
  'too many requests': { status: 429, headers: { 'retry-after': '7' }, json: { error: 'Wait.', code: 'RATE_LIMITED' } },
  'too many requests, without an envelope': { status: 429, text: 'slow down' },
  'an error of the server': { status: 500, json: { error: 'Broken.', code: 'INTERNAL_ERROR' } },
  'a 503 that carries a code of the license': { status: 503, json: { error: 'No.', code: 'LICENSE_REVOKED' } },
  'a 500 that carries a code of the session': { status: 500, json: { error: 'No.', code: 'INVALID_TOKEN' } },
  'a gateway without a body': { status: 502, text: '' },
  'the HTML page of a proxy': { status: 403, text: '<html>Forbidden</html>' },
  'a captive portal': { status: 200, text: '<html>Welcome to the airport</html>' },
  'a captive portal that redirects': { status: 302, headers: { location: 'http://portal/' }, text: '' },
  'a redirect that carries an envelope': { status: 307, json: { error: 'No.', code: 'INVALID_TOKEN' } },
  'JSON of another shape': { status: 200, json: { valid: 'no' } },
  'a 401 without the envelope': { status: 401, json: { message: 'Unauthorized' } },
  'an invalid license that is cut off': { status: 200, text: '{"valid":false,"code":"LICENSE_REV' },
  'an invalid license without its code': { status: 200, json: { valid: false } },
};

describe('an inconclusive response ends nothing:', () => {
  it.each(Object.entries(inconclusive))('%s never signs out and never turns a feature off', async (_, reply) => {
    const { client, platform, server, on } = await startActivated();
    platform.http.cut(reply);
    server.accessTokens.clear();
    await platform.clock.advance(2 * 3_600_000);
    expect(client.getState().session.kind).toBe('signed-in');
    expect(['works', 'offline']).toContain(client.getState().license.kind);
    expect(on()).toHaveLength(6);
  });

  it.each(Object.entries(inconclusive))('%s for the refresh alone never signs out', async (_, reply) => {
    const { client, platform, server, on } = await startActivated();
    platform.http.on('POST /auth/refresh', reply);
    server.accessTokens.clear();
    await platform.clock.advance(2 * 3_600_000);
    expect(platform.http.to('/auth/refresh').length).toBeGreaterThan(0);
    expect(client.getState().session.kind).toBe('signed-in');
    expect(on()).toHaveLength(6);
  });

  it.each(Object.entries(inconclusive))('%s for the validation alone never turns a feature off', async (_, reply) => {
    const { platform, on } = await startActivated();
    platform.http.on('POST /license/validate', reply);
    await platform.clock.advance(3 * 3_600_000);
    expect(on()).toHaveLength(6);
  });

  it('a rejected access token causes one refresh, and never ends the session', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /heartbeat', errorReply(401, 'INVALID_TOKEN'));
    await client.syncNow();
    expect(client.getState().session.kind).toBe('signed-in');
    expect(platform.http.to('/auth/refresh')).toHaveLength(1);
    expect(
      platform.http.to('/heartbeat').filter(({ headers }) => headers.authorization === 'Bearer access-2'),
    ).toHaveLength(1);
  });
});

describe('a conclusive error', () => {
  it.each([
    ['INVALID_TOKEN', 'session-revoked'],
    ['TOKEN_EXPIRED', 'session-expired'],
  ])('%s from the refresh ends the session', async (code, reason) => {
    const { client, platform, server, on } = await startActivated();
    server.accessTokens.clear();
    platform.http.on('POST /auth/refresh', errorReply(401, code));
    expect(await client.syncNow()).toMatchObject({ ok: false, failure: { code } });
    expect(client.getState().session).toMatchObject({ kind: 'signed-out', reason });
    expect(on()).toEqual([]);
    expect(platform.secrets.values.has('session')).toBe(false);
  });

  it.each(['INVALID_CREDENTIALS', 'USER_NOT_FOUND', 'VALIDATION_ERROR', 'LICENSE_REVOKED', 'ANOTHER_CODE'])(
    '%s from the refresh does not end the session',
    async (code) => {
      const { client, platform, server } = await startActivated();
      server.accessTokens.clear();
      platform.http.on('POST /auth/refresh', errorReply(400, code));
      await client.syncNow();
      expect(client.getState().session.kind).toBe('signed-in');
    },
  );

  it.each([
    ['LICENSE_REVOKED', 'revoked'],
    ['LICENSE_EXPIRED', 'expired'],
    ['LICENSE_INACTIVE', 'suspended'],
    ['SUBSCRIPTION_INACTIVE', 'subscription-ended'],
    ['LICENSE_NOT_FOUND', 'not-found'],
    ['A_CODE_OF_ANOTHER_SERVER', 'suspended'],
  ])('%s overrides the stored valid license immediately, also offline and after a restart', async (code, reason) => {
    const testClient = await startActivated();
    testClient.server.invalidCode = code;
    await testClient.client.syncNow();
    expect(testClient.client.getState().license).toEqual({ kind: 'blocked', reason });
    expect(testClient.on()).toEqual([]);
    testClient.platform.http.cut({ fails: 'unreachable' });
    await testClient.platform.clock.advance(600_000);
    expect(testClient.on()).toEqual([]);
    const again = await testClient.restart();
    await again.platform.clock.advance(60_000);
    expect(again.client.getState().license).toEqual({ kind: 'blocked', reason });
    expect(again.on()).toEqual([]);
  });

  it('is reversed only by a conclusive valid response', async () => {
    const { client, platform, server, on } = await startActivated();
    server.invalidCode = 'LICENSE_INACTIVE';
    await client.syncNow();
    platform.http.cut({ status: 500, json: { error: 'Broken.', code: 'INTERNAL_ERROR' } });
    await platform.clock.advance(600_000);
    expect(on()).toEqual([]);
    platform.http.cut(null);
    server.invalidCode = null;
    await client.syncNow();
    expect(on()).toHaveLength(6);
  });
});

describe('stopping', () => {
  it('keeps what has happened since the last sync', async () => {
    const testClient = await startActivated();
    const { client } = await testClient.restart();
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('device-activated');
  });

  it('waits for the sync in progress, so that nothing is written afterwards', async () => {
    const { client, platform } = await startActivated();
    const respond = platform.http.hold('POST /license/validate');
    void client.syncNow();
    await settle();
    const stopping = client.stop();
    await settle();
    respond({ fails: 'canceled' });
    await stopping;
    const written = platform.secrets.writes.length;
    await platform.clock.advance(60_000);
    expect(platform.secrets.writes.slice(written)).toEqual([]);
  });

  it('does not wait for the retry of a request', async () => {
    const { client, platform } = await startActivated();
    platform.http.cut(errorReply(503, 'SERVICE_UNAVAILABLE'));
    const sent = platform.http.requests.length;
    const synced = client.syncNow();
    await settle();
    expect(platform.http.requests.length, 'requests that are to be repeated').toBeGreaterThan(sent);
    const sentBefore = platform.http.requests.length;
    await client.stop();
    expect((await synced).ok).toBe(false);
    expect(
      platform.http.requests.slice(sentBefore).filter(({ signal }) => signal?.aborted !== true),
      'sent after that',
    ).toEqual([]);
  });
});

describe('secrets', () => {
  it('never appear in the state, a failure, the log or a URL', async () => {
    const { client, platform, server } = await startActivated();
    const seen: string[] = [];
    client.subscribe((state) => seen.push(JSON.stringify(state)));
    const generated = await client.generateApiKey({ replace: true });
    expect(generated).toMatchObject({ ok: true, value: { apiKey: newKey } });
    const password = 'a password that must stay secret';
    platform.http.on('POST /license/validate', ({ json }) => errorReply(400, `Echo ${json.license_key}`));
    platform.http.on('POST /auth/login', ({ json }) => errorReply(400, `Echo ${json.password}`));
    platform.http.on('POST /heartbeat', ({ headers }) => errorReply(400, `Echo ${headers.authorization}`));
    const failures = [
      await client.activateLicense({ licenseKey }),
      await client.signIn({ email: 'ada@lab.org', password }),
      await client.syncNow(),
    ];
    await platform.clock.advance(600_000);
    const open = [...seen, ...platform.logged, ...platform.http.requests.map(({ url }) => url)].join('\n');
    const everything = `${open}\n${JSON.stringify([client.getState(), failures])}`;
    const secrets = [licenseKey, newKey, password, server.refreshToken, 'access-1', '0123456789abcdef0123456789abcdef'];
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });

  it('are stored only in the secret store', async () => {
    const { client, platform } = await startActivated();
    await client.generateApiKey({ replace: true });
    const plain = JSON.stringify([...platform.plain.values]);
    expect(plain).not.toContain(licenseKey);
    expect(plain).not.toContain('v1.refresh');
    expect(JSON.stringify([...platform.secrets.values])).not.toContain(newKey);
  });
});

describe('the clock of this machine', () => {
  it('does not affect rate limits, whose waits use the monotonic clock', async () => {
    const { client, platform } = await startSignedIn();
    const wait: Reply = {
      status: 429,
      headers: { 'retry-after': '40' },
      json: { error: 'Wait.', code: 'RATE_LIMITED' },
    };
    platform.http.on('POST /license/validate', wait);
    await client.activateLicense({ licenseKey });
    const sent = platform.http.to('/license/validate').length;
    platform.clock.setWall(platform.clock.now() + 86_400_000);
    const result = await client.activateLicense({ licenseKey });
    expect(result).toMatchObject({ ok: false, failure: { code: 'RATE_LIMITED', retryAfterSeconds: 40 } });
    expect(platform.http.to('/license/validate')).toHaveLength(sent);
    platform.clock.setWall(0);
    await platform.clock.advance(40_000);
    await client.activateLicense({ licenseKey });
    expect(platform.http.to('/license/validate').length).toBeGreaterThan(sent);
  });
});

describe('unreadable data is not treated as absent:', () => {
  it('a session that cannot be read is reported and stays stored', async () => {
    const testClient = await startActivated();
    testClient.platform.secrets.values.set('session', '{"version":99}');
    const { client, platform } = await testClient.restart();
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: 'store-unreadable' });
    expect(platform.secrets.values.get('session')).toBe('{"version":99}');
  });

  it('a session that cannot be read makes a sign-out fail and stays stored, until a sign-in replaces it', async () => {
    const testClient = await startActivated();
    const stored = testClient.platform.secrets.values.get('session') ?? '';
    const { client, platform } = await testClient.restart((again) => again.secrets.breakRead('session', true));
    for (const allDevices of [false, true]) {
      const done = await client.signOut({ allDevices });
      expect(done).toMatchObject({ ok: false, failure: { code: 'STORE_UNAVAILABLE' } });
      expect(client.getState().session).toEqual({ kind: 'signed-out', reason: 'store-unreadable' });
    }
    expect(platform.secrets.values.get('session')).toBe(stored);
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    expect(await client.signOut({ allDevices: false })).toEqual({ ok: true, value: null });
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: null });
  });

  it('a license that cannot be read now is unknown, is never overwritten, and can be read later', async () => {
    const testClient = await startActivated();
    await testClient.client.stop();
    const name = licenseDocumentName(testClient.platform);
    const stored = testClient.platform.secrets.values.get(name);
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, platform, on } = await testClient.restart((again) => again.secrets.breakRead(name, true));
    expect(client.getState().license).toEqual({ kind: 'unknown' });
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('license-unreadable');
    platform.http.cut(null);
    await platform.clock.advance(60_000);
    expect(platform.secrets.values.get(name)).toBe(stored);
    platform.secrets.breakRead(name, false);
    await client.syncNow();
    expect(client.getState().license.kind).toBe('works');
    expect(on()).toHaveLength(6);
    const { activity } = client.getState();
    expect(activity.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['license-unreadable', 'signed-in']));
    expect(new Set(activity.map(({ id }) => id)).size).toBe(activity.length);
    expect(platform.secrets.values.get(name)).toContain('signed-in');
  });

  it('a license that cannot be parsed is quarantined when a new key replaces it', async () => {
    const testClient = await startActivated();
    await testClient.client.stop();
    const name = licenseDocumentName(testClient.platform);
    testClient.platform.secrets.values.set(name, '{"version":99}');
    const { client, platform } = await testClient.restart();
    await platform.clock.advance(10_000);
    expect(platform.secrets.values.get(name)).toBe('{"version":99}');
    await client.activateLicense({ licenseKey });
    expect(client.getState().license.kind).toBe('works');
    expect(platform.secrets.values.get(name)).toContain(licenseKey);
    expect([...platform.secrets.values.values()]).toContain('{"version":99}');
  });
});

it('accepts a list of thousands of devices, but no other response of that length', async () => {
  const { client, platform } = await startActivated();
  await client.listDevices();
  const [devices] = platform.http.to('/license/activations');
  expect(devices?.maxResponseBytes).toBeGreaterThanOrEqual(10_000 * 300);
  const others = platform.http.requests.filter(({ url }) => !url.endsWith('/license/activations'));
  expect(Math.max(...others.map(({ maxResponseBytes }) => maxResponseBytes))).toBe(1024 * 1024);
});

it('limits the length of every server text that is shown or kept', async () => {
  const { client, platform } = await startActivated();
  const [long, at] = ['x'.repeat(100_000), '2026-03-03T09:00:00.000Z'];
  const device = { activation_id: 'other', device_id: long, device_name: long, key_preview: '...', platform: long };
  const times = { activated_at: at, last_seen_at: at, released_at: at, place_free_at: at };
  const one = { ...device, ...times, activity: 'active' };
  const longest = { ...one, device_name: 'x'.repeat(3_000_000) };
  const astral = { ...one, device_name: '🎛'.repeat(200) };
  platform.http.on('GET /license/activations', { json: { activations: [longest, astral], released_devices: [one] } });
  await client.listDevices();
  const { devices, places } = client.getState();
  const [shown, second] = devices.value ?? [];
  expect([shown?.name.length, shown?.platform.length, second?.name]).toEqual([200, 200, astral.device_name]);
  expect(places.released).toMatchObject([{ name: 'x'.repeat(200), platform: 'x'.repeat(200) }]);
  expect(JSON.stringify(client.getState()).length).toBeLessThan(100_000);
});

it('replaces an unpaired surrogate in an id before it is sent', async () => {
  const { client, platform } = await startActivated();
  platform.http.on('DELETE /license/activations/%EF%BF%BD', errorReply(403, 'FORBIDDEN'));
  expect(await client.releaseDevice({ activationId: '\ud800' })).toMatchObject({ failure: { code: 'FORBIDDEN' } });
});

it('a list of devices that arrives late does not replace a newer one', async () => {
  const { client, platform } = await startActivated();
  const device = {
    activation_id: 'a-1',
    key_preview: 'SVC-AB12...GH7X',
    device_id: 'HW-1',
    device_name: 'Old laptop',
    platform: '',
    activated_at: '2026-01-02T00:00:00.000Z',
    last_seen_at: '2026-01-02T00:00:00.000Z',
    activity: 'active',
  };
  const answers = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()];
  let asked = 0;
  platform.http.on('GET /license/activations', () => answers[asked++]?.promise ?? missing);
  const both = [client.listDevices(), client.listDevices()];
  await settle();
  answers[1]?.resolve({ json: { activations: [] } });
  await settle();
  answers[0]?.resolve({ json: { activations: [device] } });
  await Promise.all(both);
  expect(client.getState().devices).toEqual({ value: [], loading: false, failure: null });
});

it('an activation before the start has resolved waits for it', async () => {
  const { platform } = await startActivated();
  const { secrets, plain, clock, http } = platform;
  const again = createFakePlatform({ secretValues: secrets.values, plainValues: plain.values, clock, http });
  const client = new LicensingClient({ platform: again, app: testApp, defaultServerAddress: 'http://127.0.0.1:8470' });
  expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
  const unknown = new LicensingClient({
    platform: createFakePlatform(),
    app: testApp,
    defaultServerAddress: 'http://127.0.0.1:8470',
  });
  expect(await unknown.activateLicense({ licenseKey })).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
});

it('a client that is stopped while it starts does nothing more', async () => {
  const { client: first, platform } = await startActivated();
  await first.stop();
  const { secrets, plain, clock, http } = platform;
  const again = createFakePlatform({ secretValues: secrets.values, plainValues: plain.values, clock, http });
  const client = new LicensingClient({ platform: again, app: testApp, defaultServerAddress: 'http://127.0.0.1:8470' });
  const before = http.requests.length;
  const timers = clock.pendingTimers();
  const starting = client.start();
  await client.stop();
  await starting;
  await clock.advance(3_600_000);
  expect(http.requests.length).toBe(before);
  expect(clock.pendingTimers()).toBe(timers);
});
