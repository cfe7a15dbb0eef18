/** Leases in the client: what they entitle to, when they are asked for, what ends them, and what is imported. */
import { describe, expect, it } from 'vitest';
import type { PinnedLeaseKeys } from '../../../electron/licensing/lease-keys.ts';
import { type Features, features } from '../../../shared/api/features.ts';
import { previewLicenseKey } from '../../../shared/formats/license-key.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { activationId, errorReply, licenseKey, missing, ScriptedServer } from './scripted-server.ts';
import { licenseDocumentName, startTestClient, type TestClient } from './start-client.ts';

const dayMs = 86_400_000;

type Options = {
  /** Whether the app has the server's keys built in. */
  readonly pinned?: boolean;
  readonly ttlSeconds?: number;
};

type Leased = TestClient & { readonly signer: LeaseSigner };

/** Ada is signed in at a server that signs leases. */
async function startSignedIn({ pinned = false, ttlSeconds = 14 * 86_400 }: Options = {}): Promise<Leased> {
  const platform = createFakePlatform();
  const server = new ScriptedServer(platform);
  const signer = new LeaseSigner('lease-1', ttlSeconds);
  server.leases = signer;
  const keys = pinned ? pin(signer) : undefined;
  const testClient = await startTestClient(platform, server, 'http://127.0.0.1:8470', keys);
  await testClient.client.signIn({ email: 'ada@lab.org', password: 'right' });
  await platform.clock.advance(10);
  return { ...testClient, signer };
}

/** And this device is activated. */
async function startLeased(options: Options = {}): Promise<Leased> {
  const testClient = await startSignedIn(options);
  await testClient.client.activateLicense({ licenseKey });
  await settle();
  return testClient;
}

function pin(...signers: readonly LeaseSigner[]): PinnedLeaseKeys {
  return { from: 'built-in', keys: signers.map(({ jwk }) => jwk) };
}

/** Asks for the next lease and lets the time of a quick retry pass. */
async function renew({ client, platform }: TestClient) {
  const renewed = client.renewLease();
  await platform.clock.advance(1000);
  return renewed;
}

const leasesAsked = ({ platform }: TestClient) => platform.http.to('/license/lease').length;

function storedFacts(testClient: TestClient) {
  return JSON.parse(testClient.platform.secrets.values.get(licenseDocumentName(testClient.platform)) ?? '{}').facts;
}

function aboutReply(leases: boolean): Reply {
  return { json: { sign_up: 'open', password_min_length: 8, mail: true, leases, account_page: true } };
}

/** What a lease says about Ada on this device. */
function about({ client, server }: TestClient, more: { sub?: string; features?: Features } = {}) {
  const device_id = client.getState().thisDevice?.deviceId ?? '';
  return {
    sub: server.user.id,
    device_id,
    license: previewLicenseKey(licenseKey),
    plan: 'standard',
    features: features.parse(seededPlans.standard),
    ...more,
  };
}

describe.each([{ pinned: false }, { pinned: true }])('a lease, with pinned keys: $pinned', (options) => {
  it('is got with the activation, and everything works until its end without the server', async () => {
    const testClient = await startLeased(options);
    const { client, platform, on } = testClient;
    expect(leasesAsked(testClient)).toBe(1);
    const { expiresAt } = client.getState().lease;
    expect(client.getState().lease).toMatchObject({ state: 'good', problem: null, kid: 'lease-1' });
    expect(client.getState().license).toMatchObject({ kind: 'works', plan: 'standard', worksUntil: expiresAt });
    platform.http.cut({ fails: 'unreachable' });
    await platform.clock.advance(13 * dayMs);
    expect(client.getState().license).toMatchObject({ kind: 'offline', worksUntil: expiresAt });
    expect(on()).toHaveLength(6);
    await platform.clock.advance(dayMs);
    expect(client.getState().license).toMatchObject({ kind: 'offline-ended' });
    expect(client.getState().lease.state).toBe('expired');
    expect(on()).toEqual([]);
  });

  it('counts after a restart without the server, at once', async () => {
    const testClient = await startLeased(options);
    testClient.platform.http.cut({ fails: 'unreachable' });
    await testClient.platform.clock.advance(3 * dayMs);
    const { client } = await testClient.restart();
    expect(client.feature('csv_export')).toMatchObject({ ok: true });
  });

  it('is renewed from half of its life on, and never more than that while nothing changes', async () => {
    const testClient = await startLeased(options);
    const { platform } = testClient;
    await platform.clock.advance(6 * dayMs);
    expect(leasesAsked(testClient)).toBe(1);
    await platform.clock.advance(2 * dayMs);
    expect(leasesAsked(testClient)).toBe(2);
  });

  it.each(['has no leases any more', 'signs with a key that is not known'])(
    'that is due for renewal does not make the client sync more often where the server %s',
    async (reason) => {
      const testClient = await startLeased(options);
      const { platform, server } = testClient;
      await platform.clock.advance(6 * dayMs);
      server.leases = null;
      if (reason !== 'has no leases any more') {
        const other = new LeaseSigner('lease-1').sign(about(testClient), platform.clock.now() + 2 * dayMs);
        platform.http.on('POST /license/lease', { json: other });
      }
      const syncsInTwoHours = async () => {
        const before = platform.http.to('/heartbeat').length;
        await platform.clock.advance(2 * 3_600_000);
        return platform.http.to('/heartbeat').length - before;
      };
      const before = await syncsInTwoHours();
      await platform.clock.advance(dayMs);
      expect(testClient.client.getState().lease.state).toBe('good');
      expect(Math.abs((await syncsInTwoHours()) - before)).toBeLessThanOrEqual(1);
    },
  );

  it('is asked for at once when the plan changes, and has the features of the new one', async () => {
    const testClient = await startLeased(options);
    const { server, on } = testClient;
    Object.assign(server, { plan: 'advanced', features: seededPlans.advanced });
    await testClient.sync();
    expect(leasesAsked(testClient)).toBe(2);
    expect(on()).toHaveLength(8);
    await testClient.sync();
    expect(leasesAsked(testClient)).toBe(2);
  });

  it('follows the subscription, although a validation tells the features of the plan of the license', async () => {
    const testClient = await startLeased(options);
    const { server, on } = testClient;
    for (const [plan, count] of [
      ['advanced', 8],
      ['free', 1],
    ] as const) {
      Object.assign(server, { plan, features: seededPlans[plan], licenseFeatures: seededPlans.standard });
      await testClient.sync();
      expect(on()).toHaveLength(count);
    }
    for (let minute = 0; minute < 30; minute++) await testClient.sync();
    expect(leasesAsked(testClient)).toBe(4);
  });

  it('that goes on contradicting the status is not asked for again each time', async () => {
    const testClient = await startLeased(options);
    const { platform, signer, server } = testClient;
    const lease = signer.sign(about(testClient), platform.clock.now());
    Object.assign(server, { plan: 'advanced', features: seededPlans.advanced });
    platform.http.on('POST /license/lease', { json: lease });
    for (let minute = 0; minute < 30; minute++) await testClient.sync();
    expect(leasesAsked(testClient)).toBe(2);
  });

  it.each([
    ['a status has agreed with it', 'free'],
    ['no status has agreed with it', 'advanced'],
  ] as const)('of a plan that was changed and changed back is replaced at once where %s', async (_name, between) => {
    const testClient = await startLeased(options);
    const { signer, server, on } = testClient;
    const setPlan = (plan: 'free' | 'advanced') => Object.assign(server, { plan, features: seededPlans[plan] });
    // The status is from before the change, the lease from after it.
    setPlan('advanced');
    const ofFree = { ...about(testClient), plan: 'free', features: seededPlans.free };
    const { sign } = signer;
    signer.sign = (_about, nowMs) => sign.call(signer, ofFree, nowMs);
    await testClient.sync();
    expect(on()).toHaveLength(1);
    signer.sign = sign;
    setPlan(between);
    await testClient.sync();
    setPlan('advanced');
    await testClient.sync();
    expect(on()).toHaveLength(8);
  });

  it.each(['LICENSE_REVOKED', 'LICENSE_EXPIRED', 'LICENSE_INACTIVE', 'SUBSCRIPTION_INACTIVE', 'LICENSE_NOT_FOUND'])(
    'is deleted when a validation says %s, and stays so offline and after a restart',
    async (code) => {
      const testClient = await startLeased(options);
      testClient.server.invalidCode = code;
      await testClient.sync();
      expect(testClient.client.getState().license.kind).toBe('blocked');
      expect(testClient.on()).toEqual([]);
      expect(storedFacts(testClient).lease).toBeNull();
      testClient.platform.http.cut({ fails: 'unreachable' });
      const restarted = await testClient.restart();
      expect(restarted.on()).toEqual([]);
    },
  );

  it('is deleted when the server refuses the next one, and the refusal is remembered', async () => {
    const testClient = await startLeased(options);
    testClient.platform.http.on('POST /license/lease', errorReply(403, 'LICENSE_INACTIVE'));
    await testClient.client.renewLease();
    expect(testClient.on()).toEqual([]);
    expect(storedFacts(testClient)).toMatchObject({ lease: null, needsLease: true });
    await testClient.sync();
    expect(testClient.on()).toEqual([]);
    // Asked again when the user asks, at once.
    expect(leasesAsked(testClient)).toBe(3);
  });

  it('is deleted from the disk at once when the license is revoked, also if the app ends before the check is over', async () => {
    const testClient = await startLeased(options);
    const { client, platform, server } = testClient;
    server.invalidCode = 'LICENSE_REVOKED';
    let storedDuringCheck: unknown = 'not asked';
    platform.http.on('GET /subscription/status', () => {
      storedDuringCheck = storedFacts(testClient).lease;
      return errorReply(500, 'INTERNAL_ERROR');
    });
    const checked = client.syncNow();
    await platform.clock.advance(5000);
    await checked;
    expect(storedDuringCheck).toBeNull();
  });

  it('is deleted when this device is released, here and elsewhere', async () => {
    const testClient = await startLeased(options);
    await testClient.client.releaseDevice({ activationId });
    expect(testClient.on()).toEqual([]);
    expect(testClient.client.getState()).toMatchObject({
      license: { kind: 'not-activated' },
      lease: { state: 'none' },
    });

    const elsewhere = await startLeased(options);
    elsewhere.server.activated = false;
    await elsewhere.sync();
    expect(elsewhere.client.getState()).toMatchObject({ license: { kind: 'not-activated' }, lease: { state: 'none' } });
  });

  it.each([
    ['a time-out', { fails: 'timeout' }],
    ['a failing server', errorReply(503, 'SERVICE_UNAVAILABLE')],
    ['a limit', { ...errorReply(429, 'RATE_LIMITED'), headers: { 'retry-after': '7' } }],
    ['a captive portal', { status: 200, text: '<html>Sign in to the network</html>' }],
    ['another shape', { status: 200, json: { lease: 7 } }],
    ['a lease of another key', { json: { ...new LeaseSigner('lease-1').sign({} as never, 0) } }],
    ['a redirect', { status: 302, text: '' }],
  ] as const)('is not ended by %s', async (_, reply) => {
    const testClient = await startLeased(options);
    testClient.platform.http.on('POST /license/lease', reply);
    await renew(testClient);
    await testClient.sync();
    expect(testClient.client.getState().lease.state).toBe('good');
    expect(testClient.on()).toHaveLength(6);
  });

  it('stays when the session has expired, until it ends; the reason says so', async () => {
    const testClient = await startLeased(options);
    const { client, platform, on } = testClient;
    platform.http.on('POST /auth/refresh', errorReply(401, 'TOKEN_EXPIRED'));
    await platform.clock.advance(2 * 3_600_000);
    expect(client.getState()).toMatchObject({
      session: { kind: 'signed-out', reason: 'session-expired' },
      license: { kind: 'works' },
    });
    expect(on()).toHaveLength(6);
    const restarted = await testClient.restart();
    expect(restarted.client.getState()).toMatchObject({ session: { kind: 'signed-out' }, license: { kind: 'works' } });
    await restarted.platform.clock.advance(14 * dayMs);
    expect(restarted.on()).toEqual([]);
    expect(restarted.client.getState().license).toEqual({ kind: 'unknown' });
  });

  it('goes when the server has revoked the session', async () => {
    const testClient = await startLeased(options);
    const { client, platform, on } = testClient;
    platform.http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    await platform.clock.advance(2 * 3_600_000);
    expect(client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'session-revoked' });
    expect(on()).toEqual([]);
    expect(storedFacts(testClient).lease).toBeNull();
    expect((await testClient.restart()).on()).toEqual([]);
  });

  it('goes when the user signs out, also after the session has expired', async () => {
    const signedIn = await startLeased(options);
    await signedIn.client.signOut({ allDevices: false });
    expect(signedIn.on()).toEqual([]);
    expect(storedFacts(signedIn).lease).toBeNull();

    const expired = await startLeased(options);
    expired.platform.http.on('POST /auth/refresh', errorReply(401, 'TOKEN_EXPIRED'));
    await expired.platform.clock.advance(2 * 3_600_000);
    await expired.client.signOut({ allDevices: false });
    expect(expired.on()).toEqual([]);
    expect((await expired.restart()).on()).toEqual([]);
  });

  it('of one account is not used while another is signed in, and waits for its own', async () => {
    const testClient = await startLeased(options);
    const { client, platform, server, on } = testClient;
    platform.http.on('POST /auth/refresh', errorReply(401, 'TOKEN_EXPIRED'));
    await platform.clock.advance(2 * 3_600_000);
    const ada = server.user;
    server.user = { ...ada, id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org' };
    Object.assign(server, { hasLicense: false, subscription: null, features: seededPlans.free, activated: false });
    await client.signIn({ email: 'bob@lab.org', password: 'right' });
    await platform.clock.advance(10);
    expect(on()).toEqual(options.pinned ? [] : ['real_time_visualization']);
    expect(client.getState().lease.state).toBe('none');
    server.user = ada;
    platform.http.cut(null);
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    expect(client.getState().lease.state).toBe('good');
  });

  it('cannot be stretched by setting the clock back, and ends with the time that was measured', async () => {
    const testClient = await startLeased(options);
    const { platform, on } = testClient;
    platform.http.cut({ fails: 'unreachable' });
    await platform.clock.advance(10 * dayMs);
    platform.clock.setWall(platform.clock.now() - 9 * dayMs);
    await platform.clock.advance(5 * dayMs);
    expect(on()).toEqual([]);
  });

  it('cannot be revived by a server whose clock is behind, after its end or a restart', async () => {
    const testClient = await startLeased(options);
    const { platform, server } = testClient;
    const startMs = platform.clock.now();
    // From now on somebody else answers at the address, and signs nothing.
    server.leases = null;
    platform.http.cut({ fails: 'unreachable' });
    await platform.clock.advance(14 * dayMs);
    platform.http.sendDate(() => startMs);
    platform.http.cut(null);
    await testClient.sync();
    expect(testClient.client.getState().lease.state).toBe('expired');
    expect(testClient.on()).toEqual([]);
    const restarted = await testClient.restart();
    await restarted.sync();
    expect(restarted.client.getState().lease.state).toBe('expired');
    expect(restarted.on()).toEqual([]);
  });

  it.each([
    ['says so in its Date', true],
    ['has a proxy before it that dates its answers', false],
  ])('of a server whose clock was a year ahead, which %s, does not lock out once it is right', async (_, isDated) => {
    const testClient = await startSignedIn(options);
    const { client, platform, server, signer, on } = testClient;
    let aheadMs = 365 * dayMs;
    platform.http.sendDate(() => platform.clock.now() + (isDated ? aheadMs : 0));
    const sign = signer.sign.bind(signer);
    signer.sign = (claims, nowMs) => sign(claims, nowMs + aheadMs);
    await client.activateLicense({ licenseKey });
    await settle();
    expect(on()).toHaveLength(6);
    await platform.clock.advance(dayMs);
    const restarted = await testClient.restart();
    expect(restarted.on()).toHaveLength(6);
    aheadMs = 0;
    Object.assign(server, { plan: 'advanced', features: seededPlans.advanced });
    await restarted.sync();
    expect(restarted.client.getState()).toMatchObject({ lease: { state: 'good' }, clock: 'in-sync' });
    expect(restarted.on()).toHaveLength(8);
    platform.http.cut({ fails: 'unreachable' });
    await platform.clock.advance(13 * dayMs);
    expect(restarted.on()).toHaveLength(8);
    await platform.clock.advance(dayMs);
    expect(restarted.on()).toEqual([]);
  });

  it('of a server whose clock was ahead counts for as long as it lasts, and is renewed at half of its life', async () => {
    const testClient = await startSignedIn(options);
    const { client, platform, signer } = testClient;
    const sign = signer.sign.bind(signer);
    signer.sign = (claims, nowMs) => sign(claims, nowMs + 365 * dayMs);
    await client.activateLicense({ licenseKey });
    await settle();
    signer.sign = sign;
    platform.http.on('POST /license/lease', errorReply(503, 'SERVICE_UNAVAILABLE'));
    const asked = leasesAsked(testClient);
    await platform.clock.advance(6 * dayMs);
    expect(leasesAsked(testClient)).toBe(asked);
    await platform.clock.advance(2 * dayMs);
    expect(leasesAsked(testClient)).toBeGreaterThan(asked);
    platform.http.cut({ fails: 'unreachable' });
    const restarted = await testClient.restart();
    await platform.clock.advance(5 * dayMs);
    expect(restarted.on()).toHaveLength(6);
    await platform.clock.advance(dayMs);
    expect(restarted.on()).toEqual([]);
    // Neither a restart nor the time at which it was signed brings it back.
    const again = await restarted.restart(({ clock }) => clock.setWall(clock.now() + 365 * dayMs));
    expect(again.on()).toEqual([]);
  });

  it('survives a clock that jumps ahead while the app runs', async () => {
    const testClient = await startLeased(options);
    const { platform, on, client } = testClient;
    platform.http.cut({ fails: 'unreachable' });
    platform.clock.setWall(platform.clock.now() + 400 * dayMs);
    await platform.clock.advance(60_000);
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('ahead');
  });

  it('counts on a clock that is behind, which is said', async () => {
    const testClient = await startLeased(options);
    testClient.platform.clock.setWall(testClient.platform.clock.now() - dayMs);
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, on } = await testClient.restart();
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('behind');
  });
});

describe('without pinned keys', () => {
  it('there is no grace once a lease was given', async () => {
    const testClient = await startLeased({ ttlSeconds: 3600 });
    testClient.platform.http.cut({ fails: 'unreachable' });
    await testClient.platform.clock.advance(3_600_000);
    expect(testClient.on()).toEqual([]);
    expect(testClient.client.getState().license.kind).toBe('offline-ended');
  });

  it('a valid response counts for seven days on a server that has no leases', async () => {
    const testClient = await startSignedIn();
    testClient.server.leases = null;
    await testClient.client.activateLicense({ licenseKey });
    expect(testClient.client.getState().server.leases).toBe('missing');
    testClient.platform.http.cut({ fails: 'unreachable' });
    await testClient.platform.clock.advance(6 * dayMs);
    expect(testClient.on()).toHaveLength(6);
    await testClient.platform.clock.advance(2 * dayMs);
    expect(testClient.on()).toEqual([]);
  });

  it('a server that has no leases is asked again once a day, and gives one as soon as it has them', async () => {
    const testClient = await startSignedIn();
    const { server, platform, client, signer } = testClient;
    server.leases = null;
    await client.activateLicense({ licenseKey });
    const asked = leasesAsked(testClient);
    await platform.clock.advance(dayMs - 3_600_000);
    expect(leasesAsked(testClient)).toBe(asked);
    await platform.clock.advance(2 * 3_600_000);
    expect(leasesAsked(testClient)).toBe(asked + 1);
    await platform.clock.advance(dayMs - 3_600_000);
    expect(leasesAsked(testClient)).toBe(asked + 1);
    server.leases = signer;
    await platform.clock.advance(2 * 3_600_000);
    expect(client.getState().lease.state).toBe('good');
  });

  it('a server that says that it has leases is asked at the next sync', async () => {
    const testClient = await startSignedIn();
    const { server, platform, client, signer } = testClient;
    server.leases = null;
    await client.activateLicense({ licenseKey });
    const asked = leasesAsked(testClient);
    for (const leases of [false, true]) {
      server.leases = signer;
      platform.http.on('GET /about', aboutReply(leases));
      await platform.clock.advance(2 * 3_600_000);
      expect(leasesAsked(testClient) - asked).toBe(leases ? 1 : 0);
    }
    expect(client.getState().lease.state).toBe('good');
  });

  it('a server that says that it has leases, and has nothing there, has not said that it has none', async () => {
    const testClient = await startSignedIn();
    const { server, platform, client, signer } = testClient;
    platform.http.on('GET /about', aboutReply(true));
    await platform.clock.advance(3_600_000);
    for (const reply of [missing, { status: 404, text: '<html>Not here</html>' }]) {
      platform.http.on('POST /license/lease', reply);
      await client.activateLicense({ licenseKey });
      expect(client.getState().server.leases).not.toBe('missing');
      expect(await renew(testClient)).toMatchObject({ ok: false, failure: { code: 'SERVER_RESPONSE_INVALID' } });
      expect(testClient.on()).toHaveLength(6);
    }
    const asked = leasesAsked(testClient);
    await platform.clock.advance(6 * 3_600_000);
    expect(leasesAsked(testClient) - asked).toBeGreaterThan(1);
    expect(testClient.on()).toHaveLength(6);
    platform.http.on('POST /license/lease', { json: signer.sign(about(testClient), platform.clock.now()) });
    await platform.clock.advance(3_600_000);
    expect(client.getState().lease.state).toBe('good');
    expect(server.activated).toBe(true);
  });

  it('a valid response counts while no lease could be had', async () => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('POST /license/lease', errorReply(503, 'SERVICE_UNAVAILABLE'));
    const activated = testClient.client.activateLicense({ licenseKey });
    await testClient.platform.clock.advance(1000);
    await activated;
    expect(testClient.on()).toHaveLength(6);
  });

  it('the keys are those that the server published at the sign-in; another key for the same id is never taken', async () => {
    const testClient = await startLeased();
    const other = new LeaseSigner('lease-1');
    testClient.server.leases = other;
    await testClient.client.renewLease();
    const state = testClient.client.getState();
    expect(state.lease).toMatchObject({ state: 'good', keys: 'first-use' });
    expect(testClient.platform.logged.join()).toContain('wrong_signature');
  });

  it('a new key is learned over the session when a lease names it', async () => {
    const testClient = await startLeased();
    testClient.server.leases = new LeaseSigner('lease-2');
    await testClient.client.renewLease();
    expect(testClient.client.getState().lease).toMatchObject({ state: 'good', kid: 'lease-2' });
  });

  it('keys belong to one server', async () => {
    const testClient = await startLeased();
    const text = JSON.parse(testClient.platform.secrets.values.get('lease-keys') ?? '{}');
    expect(text.servers).toMatchObject([{ serverAddress: 'http://127.0.0.1:8470', keys: [{ kid: 'lease-1' }] }]);
  });
});

describe('with pinned keys', () => {
  it('nothing is on without a lease, which is asked for again after 15 s', async () => {
    const testClient = await startSignedIn({ pinned: true });
    const { client, platform, on } = testClient;
    platform.http.on('POST /license/lease', errorReply(500, 'INTERNAL_ERROR'));
    await client.activateLicense({ licenseKey });
    expect(client.getState().license).toEqual({ kind: 'waiting-for-lease' });
    expect(client.feature('csv_export')).toMatchObject({ failure: { reason: 'waiting-for-lease' } });
    const asked = leasesAsked(testClient);
    await platform.clock.advance(4000);
    const { signer, server } = testClient;
    platform.http.on('POST /license/lease', { json: signer.sign(about(testClient), platform.clock.now()) });
    await platform.clock.advance(15_000);
    expect(leasesAsked(testClient)).toBeGreaterThan(asked);
    expect(server.activated).toBe(true);
    expect(on()).toHaveLength(6);
  });

  it('nothing is on with a server that has no leases', async () => {
    const testClient = await startSignedIn({ pinned: true });
    testClient.platform.http.on('POST /license/lease', missing);
    await testClient.client.activateLicense({ licenseKey });
    expect(testClient.on()).toEqual([]);
  });

  it('a server that had none for a moment is asked within 15 s of saying that it has them', async () => {
    const testClient = await startSignedIn({ pinned: true });
    const { platform, client, signer, server } = testClient;
    platform.http.on('POST /license/lease', missing);
    await client.activateLicense({ licenseKey });
    await platform.clock.advance(10_000);
    platform.http.on('POST /license/lease', { json: signer.sign(about(testClient), platform.clock.now()) });
    platform.http.on('GET /about', aboutReply(true));
    const asked = platform.http.to('/about').length;
    while (platform.http.to('/about').length === asked) await platform.clock.advance(1000);
    expect(testClient.on()).toEqual([]);
    await platform.clock.advance(15_000);
    expect(testClient.on()).toHaveLength(6);
    expect(server.activated).toBe(true);
  });

  it('a lease under an unknown key is kept and not used, the one before goes on, and an app that knows the key uses it', async () => {
    const testClient = await startLeased({ pinned: true });
    const next = new LeaseSigner('lease-2');
    testClient.server.leases = next;
    await testClient.client.renewLease();
    expect(testClient.client.getState().lease).toMatchObject({
      state: 'good',
      kid: 'lease-1',
      problem: 'unknown_key',
    });
    expect(testClient.on()).toHaveLength(6);
    testClient.platform.http.cut({ fails: 'unreachable' });
    const updated = await testClient.restart(undefined, undefined, pin(testClient.signer, next));
    expect(updated.client.getState().lease).toMatchObject({ state: 'good', kid: 'lease-2', problem: null });
  });

  it.each(['needsLease', 'endedAt', 'validation', 'time', 'localChange'])(
    'an edited store grants nothing beyond the lease: %s',
    async (field) => {
      const testClient = await startLeased({ pinned: true });
      testClient.platform.http.cut({ fails: 'unreachable' });
      const name = licenseDocumentName(testClient.platform);
      const document = JSON.parse(testClient.platform.secrets.values.get(name) ?? '{}');
      document.facts.lease = new LeaseSigner('lease-1').sign(about(testClient), testClient.platform.clock.now()).lease;
      if (field !== 'validation') document.facts[field] = field === 'needsLease' ? false : null;
      testClient.platform.secrets.values.set(name, JSON.stringify(document));
      const { client, on } = await testClient.restart();
      expect(on()).toEqual([]);
      expect(client.getState().lease).toMatchObject({ state: 'unusable', problem: 'wrong_signature' });
    },
  );

  it('a profile that was copied to another machine grants nothing', async () => {
    const testClient = await startLeased({ pinned: true });
    const { secrets, plain, clock } = testClient.platform;
    const other = createFakePlatform({
      secretValues: secrets.values,
      plainValues: plain.values,
      clock,
      machineId: 'ffffffffffffffffffffffffffffff01',
    });
    other.http.cut({ fails: 'unreachable' });
    const copy = await startTestClient(other, testClient.server, undefined, pin(testClient.signer));
    expect(copy.on()).toEqual([]);
  });
});

describe('importing a lease', () => {
  /** A machine that is never online, with an app that has the keys. */
  async function startOffline(): Promise<Leased> {
    const platform = createFakePlatform();
    const server = new ScriptedServer(platform);
    platform.http.cut({ fails: 'unreachable' });
    const signer = new LeaseSigner();
    const testClient = await startTestClient(platform, server, 'http://127.0.0.1:8470', pin(signer));
    return { ...testClient, signer };
  }

  it('turns everything on without anybody signed in, also after a restart', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const { lease } = signer.sign(about(testClient), platform.clock.now() - dayMs);
    const text = `\uFEFF${lease.slice(0, 40)}\r\n  ${lease.slice(40)}\n`;
    expect(await client.readLease({ text })).toMatchObject({ ok: true, value: { plan: 'standard' } });
    expect(on()).toEqual([]);
    expect(await client.importLease({ text })).toMatchObject({ ok: true });
    expect(client.getState()).toMatchObject({ session: { kind: 'signed-out' }, license: { kind: 'works' } });
    expect(on()).toHaveLength(6);
    const restarted = await testClient.restart();
    expect(restarted.on()).toHaveLength(6);
    expect(restarted.client.getState().activity[0]).toMatchObject({ kind: 'lease-imported' });
  });

  it('of one account grants nothing while another is signed in, at no moment, and counts again once that has signed out', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const ofBob = about(testClient, { sub: 'bob' });
    expect(await client.importLease({ text: signer.sign(ofBob, platform.clock.now()).lease })).toMatchObject({
      ok: true,
    });
    expect(on()).toHaveLength(6);
    platform.http.cut(null);
    const onWhileSignedIn: number[] = [];
    const { write } = platform.secrets;
    Object.assign(platform.secrets, {
      write: (name: string, value: string) => {
        if (client.getState().session.kind === 'signed-in') onWhileSignedIn.push(on().length);
        return write(name, value);
      },
    });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(5000);
    expect(Math.max(...onWhileSignedIn)).toBe(0);
    await client.signOut({ allDevices: false });
    const restarted = await testClient.restart();
    expect(restarted.on()).toHaveLength(6);
  });

  it('of another account than the last one neither shows nor keeps the activity of that', async () => {
    const testClient = await startLeased({ pinned: true });
    const { client, platform, signer } = testClient;
    await client.signOut({ allDevices: false });
    const ofBob = about(testClient, { sub: 'bob' });
    expect(await client.importLease({ text: signer.sign(ofBob, platform.clock.now()).lease })).toMatchObject({
      ok: true,
    });
    expect(client.getState().activity.map(({ kind }) => kind)).toEqual(['lease-imported']);
  });

  it.each<[string, (testClient: Leased) => string, string]>([
    ['a text that is none', () => 'hello', 'malformed'],
    ['nothing', () => '', 'malformed'],
    [
      'more than 16 KiB',
      ({ signer, ...rest }) => `${'\n'.repeat(17_000)}${signer.sign(about(rest), 0).lease}`,
      'malformed',
    ],
    [
      'one for another device',
      (t) =>
        t.signer.sign({ ...about(t), device_id: 'HW-00000000-00000000-00000000-00000000' }, t.platform.clock.now())
          .lease,
      'other_device',
    ],
    [
      'one of another key',
      (t) => new LeaseSigner('lease-9').sign(about(t), t.platform.clock.now()).lease,
      'unknown_key',
    ],
    ['a forged one', (t) => new LeaseSigner('lease-1').sign(about(t), t.platform.clock.now()).lease, 'wrong_signature'],
  ])('refuses %s, and changes nothing', async (_, make, problem) => {
    const testClient = await startOffline();
    const before = JSON.stringify([...testClient.platform.secrets.values]);
    const result = await testClient.client.importLease({ text: make(testClient) });
    expect(result).toMatchObject({ ok: false, failure: { code: 'LEASE_REFUSED', problem } });
    expect(JSON.stringify([...testClient.platform.secrets.values])).toBe(before);
    expect(testClient.on()).toEqual([]);
  });

  it('refuses an older one, one of another account while somebody is signed in, and an expired one', async () => {
    const testClient = await startLeased({ pinned: true });
    const { client, platform, signer } = testClient;
    const problemOf = async (text: string) => {
      const result = await client.importLease({ text });
      return result.ok ? null : result.failure.problem;
    };
    const nowMs = platform.clock.now();
    expect(await problemOf(signer.sign(about(testClient), nowMs - dayMs).lease)).toBe('older');
    const sub = '01890000-0000-7000-8000-00000000000b';
    expect(await problemOf(signer.sign(about(testClient, { sub }), nowMs).lease)).toBe('other_account');
    testClient.server.invalidCode = 'LICENSE_REVOKED';
    await testClient.sync();
    expect(await problemOf(signer.sign(about(testClient), nowMs - 60_000).lease)).toBe('older');
    expect(testClient.on()).toEqual([]);
    testClient.server.invalidCode = null;
    const short = new LeaseSigner('lease-1', 60);
    expect(short.jwk.kid).toBe(signer.jwk.kid);
    signer.ttlSeconds = 60;
    const expiring = signer.sign(about(testClient), platform.clock.now()).lease;
    await platform.clock.advance(120_000);
    expect(await problemOf(expiring)).toBe('expired');
  });

  it('heals a clock that was ahead of a machine that is never online, once', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const trueMs = platform.clock.now();
    platform.clock.setWall(trueMs + 400 * dayMs);
    const { lease } = signer.sign(about(testClient), trueMs);
    expect(await client.importLease({ text: lease })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('ahead');
    await platform.clock.advance(14 * dayMs);
    expect(on()).toEqual([]);
    expect(await client.importLease({ text: lease })).toMatchObject({ failure: { problem: 'expired' } });
  });

  it('of a server whose clock was ahead makes way for the right one, and does not come back', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const ahead = signer.sign(about(testClient), Date.parse('2102-01-01T00:00:00.000Z')).lease;
    expect(await client.importLease({ text: ahead })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    await platform.clock.advance(dayMs);
    const right = signer.sign(about(testClient), platform.clock.now()).lease;
    expect(await client.importLease({ text: right })).toMatchObject({ ok: true });
    expect(client.getState()).toMatchObject({ lease: { state: 'good' }, clock: 'in-sync' });
    await platform.clock.advance(14 * dayMs);
    expect(on()).toEqual([]);
    expect(await client.importLease({ text: right })).toMatchObject({ failure: { problem: 'expired' } });
    expect(await client.importLease({ text: ahead })).toMatchObject({ failure: { problem: 'expired' } });
    expect(on()).toEqual([]);
  });

  it('heals a clock that is behind', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const { lease } = signer.sign(about(testClient), platform.clock.now() + 30 * dayMs);
    expect(await client.importLease({ text: lease })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('behind');
  });

  it('without pinned keys, before a first sign-in, cannot be verified', async () => {
    const testClient = await startTestClient();
    const { lease } = new LeaseSigner().sign(about(testClient), testClient.platform.clock.now());
    const result = await testClient.client.importLease({ text: lease });
    expect(result).toMatchObject({ ok: false, failure: { problem: 'unknown_key' } });
  });
});
