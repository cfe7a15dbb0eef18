/** Leases in the client: what they entitle to, when they are requested, what ends them, and how they are imported. */
import { describe, expect, it } from 'vitest';
import { ActivityLog } from '../../../electron/licensing/activity-log.ts';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { endLease, Lease } from '../../../electron/licensing/lease.ts';
import { LeaseAccount } from '../../../electron/licensing/lease-account.ts';
import type { PinnedLeaseKeys } from '../../../electron/licensing/lease-keys.ts';
import { type LicenseFacts, LicenseStore } from '../../../electron/licensing/license-store.ts';
import { TrustedTime } from '../../../electron/licensing/trusted-time.ts';
import { type Features, features } from '../../../shared/api/features.ts';
import { previewLicenseKey } from '../../../shared/formats/license-key.ts';
import type { LeaseClaims } from '../../../shared/lease.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { sampleClaims } from './sample-claims.ts';
import { activationId, errorReply, licenseKey, missing, ScriptedServer } from './scripted-server.ts';
import { licenseDocumentName, startTestClient, type TestClient } from './start-client.ts';

const dayMs = 86_400_000;

type Options = {
  /** Whether the app has the server's keys built in. */
  readonly pinned?: boolean;
  readonly ttlSeconds?: number;
};

type Leased = TestClient & { readonly signer: LeaseSigner };

/** Starts with Ada signed in at a server that signs leases. */
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

/** The same, with this device activated. */
async function startLeased(options: Options = {}): Promise<Leased> {
  const testClient = await startSignedIn(options);
  await testClient.client.activateLicense({ licenseKey });
  await settle();
  return testClient;
}

function pin(...signers: readonly LeaseSigner[]): PinnedLeaseKeys {
  return { from: 'built-in', keys: signers.map(({ jwk }) => jwk) };
}

/** Requests the next lease and lets the time of a quick retry pass. */
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

/** The claims of a lease for Ada on this device. */
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
  it('is issued with the activation, and lets everything work without the server until it ends', async () => {
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

  it('takes effect immediately after a restart without the server', async () => {
    const testClient = await startLeased(options);
    testClient.platform.http.cut({ fails: 'unreachable' });
    await testClient.platform.clock.advance(3 * dayMs);
    const { client } = await testClient.restart();
    expect(client.feature('csv_export')).toMatchObject({ ok: true });
  });

  it('is renewed at half of its lifetime, and no more often while nothing changes', async () => {
    const testClient = await startLeased(options);
    const { platform } = testClient;
    await platform.clock.advance(6 * dayMs);
    expect(leasesAsked(testClient)).toBe(1);
    await platform.clock.advance(2 * dayMs);
    expect(leasesAsked(testClient)).toBe(2);
  });

  it.each(['has no leases any more', 'signs with a key that is not known'])(
    'does not make the client sync more often when it is due for renewal and the server %s',
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

  it('is requested at once when the plan changes, and carries the features of the new plan', async () => {
    const testClient = await startLeased(options);
    const { server, on } = testClient;
    Object.assign(server, { plan: 'advanced', features: seededPlans.advanced });
    await testClient.sync();
    expect(leasesAsked(testClient)).toBe(2);
    expect(on()).toHaveLength(8);
    await testClient.sync();
    expect(leasesAsked(testClient)).toBe(2);
  });

  it('follows the subscription, even though a validation reports the features of the license’s plan', async () => {
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

  it('is not requested at every sync while it keeps contradicting the status', async () => {
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
  ] as const)('is replaced at once when its plan was changed and changed back and %s', async (_name, between) => {
    const testClient = await startLeased(options);
    const { signer, server, on } = testClient;
    const setPlan = (plan: 'free' | 'advanced') => Object.assign(server, { plan, features: seededPlans[plan] });
    // The status predates the change; the lease is from after it.
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
    'is deleted when a validation answers %s, and stays deleted offline and after a restart',
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
    // A sync that the user starts asks again immediately.
    expect(leasesAsked(testClient)).toBe(3);
  });

  it('is deleted from disk as soon as the license is revoked, even if the app ends before the check is complete', async () => {
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

  it('is deleted when this device is released, here or elsewhere', async () => {
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

  it('remains valid until its end when the session has expired, which is given as the reason for the sign-out', async () => {
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

  it('is deleted when the server has revoked the session', async () => {
    const testClient = await startLeased(options);
    const { client, platform, on } = testClient;
    platform.http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    await platform.clock.advance(2 * 3_600_000);
    expect(client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'session-revoked' });
    expect(on()).toEqual([]);
    expect(storedFacts(testClient).lease).toBeNull();
    expect((await testClient.restart()).on()).toEqual([]);
  });

  it('is deleted when the user signs out, also after the session has expired', async () => {
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

  it('is not used while another account is signed in, and is used again once its own account signs in', async () => {
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

  it('cannot be extended by setting the clock back, and ends by the measured time', async () => {
    const testClient = await startLeased(options);
    const { platform, on } = testClient;
    platform.http.cut({ fails: 'unreachable' });
    await platform.clock.advance(10 * dayMs);
    platform.clock.setWall(platform.clock.now() - 9 * dayMs);
    await platform.clock.advance(5 * dayMs);
    expect(on()).toEqual([]);
  });

  it('cannot be revived after its end or a restart by a server whose clock is behind', async () => {
    const testClient = await startLeased(options);
    const { platform, server } = testClient;
    const startMs = platform.clock.now();
    // From here on, a different server answers at the address and signs nothing.
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
  ])(
    'from a server whose clock was a year ahead, which %s, does not lock the user out once the clock is right',
    async (_, isDated) => {
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
    },
  );

  it('from a server whose clock was ahead lasts for its full lifetime, and is renewed halfway through it', async () => {
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
    // Neither a restart nor the time at which it was signed revives it.
    const again = await restarted.restart(({ clock }) => clock.setWall(clock.now() + 365 * dayMs));
    expect(again.on()).toEqual([]);
  });

  it('stays valid when the clock jumps ahead while the app runs', async () => {
    const testClient = await startLeased(options);
    const { platform, on, client } = testClient;
    platform.http.cut({ fails: 'unreachable' });
    platform.clock.setWall(platform.clock.now() + 400 * dayMs);
    await platform.clock.advance(60_000);
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('ahead');
  });

  it('is valid on a clock that is behind, which is reported', async () => {
    const testClient = await startLeased(options);
    testClient.platform.clock.setWall(testClient.platform.clock.now() - dayMs);
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, on } = await testClient.restart();
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('behind');
  });
});

describe('without pinned keys', () => {
  it('there is no grace period once a lease was issued', async () => {
    const testClient = await startLeased({ ttlSeconds: 3600 });
    testClient.platform.http.cut({ fails: 'unreachable' });
    await testClient.platform.clock.advance(3_600_000);
    expect(testClient.on()).toEqual([]);
    expect(testClient.client.getState().license.kind).toBe('offline-ended');
  });

  it('a valid response is good for seven days on a server without leases', async () => {
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

  it('a server without leases is asked again once a day, and its lease is taken as soon as it offers them', async () => {
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

  it('a server that announces leases is asked at the next sync', async () => {
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

  it('a server that announces leases but answers 404 does not count as a server without leases', async () => {
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

  it('a valid response is sufficient while no lease could be obtained', async () => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('POST /license/lease', errorReply(503, 'SERVICE_UNAVAILABLE'));
    const activated = testClient.client.activateLicense({ licenseKey });
    await testClient.platform.clock.advance(1000);
    await activated;
    expect(testClient.on()).toHaveLength(6);
  });

  it('the keys published at sign-in are trusted, and another key under the same id never is', async () => {
    const testClient = await startLeased();
    const other = new LeaseSigner('lease-1');
    testClient.server.leases = other;
    await testClient.client.renewLease();
    const state = testClient.client.getState();
    expect(state.lease).toMatchObject({ state: 'good', keys: 'first-use' });
    expect(testClient.platform.logged.join()).toContain('wrong_signature');
  });

  it('a new key is fetched with the session when a lease names it', async () => {
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
  it('no feature is on without a lease, which is requested again after 15 s', async () => {
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

  it('no feature is on with a server that has no leases', async () => {
    const testClient = await startSignedIn({ pinned: true });
    testClient.platform.http.on('POST /license/lease', missing);
    await testClient.client.activateLicense({ licenseKey });
    expect(testClient.on()).toEqual([]);
  });

  it('a server that briefly had no leases is asked within 15 s of announcing them again', async () => {
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

  it('a lease with an unknown key is kept but not used, the previous one stays valid, and an app that knows the key uses it', async () => {
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

  it('a profile copied to another machine grants nothing', async () => {
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

describe('a Date header that is a year ahead', () => {
  const yearMs = 365 * dayMs;

  it('does not turn off what a currently signed lease turns on, nor cause repeated lease requests', async () => {
    const testClient = await startLeased({ pinned: true });
    const { client, platform } = testClient;
    platform.http.sendDate(() => platform.clock.now() + yearMs);
    await testClient.sync();
    expect(client.feature('csv_export')).toMatchObject({ ok: true });
    expect(client.getState().lease.state).toBe('good');
    const before = leasesAsked(testClient);
    await platform.clock.advance(2 * 3_600_000);
    expect(leasesAsked(testClient) - before).toBeLessThanOrEqual(2);
    expect(client.feature('csv_export')).toMatchObject({ ok: true });
    const restarted = await testClient.restart();
    await restarted.sync();
    expect(restarted.client.feature('csv_export')).toMatchObject({ ok: true });
  });

  it.each(['a validation', 'a lease that is refused', 'the release of this device'])(
    'that comes with %s does not cause leases signed afterwards to be refused',
    async (end) => {
      const testClient = await startLeased({ pinned: true });
      const { client, platform, server, signer } = testClient;
      const sendDateAhead = (byMs: number) => platform.http.sendDate(() => platform.clock.now() + byMs);
      sendDateAhead(yearMs);
      if (end === 'a validation') {
        server.invalidCode = 'LICENSE_REVOKED';
        await testClient.sync();
      } else if (end === 'a lease that is refused') {
        platform.http.on('POST /license/lease', errorReply(403, 'LICENSE_INACTIVE'));
        await testClient.sync();
      } else await client.releaseDevice({ activationId });
      expect(testClient.on()).toEqual([]);
      // Any response brings the correct time.
      sendDateAhead(0);
      await client.listDevices();
      const before = signer.sign(about(testClient), platform.clock.now() - 60_000).lease;
      expect(await client.importLease({ text: before })).toMatchObject({ failure: { problem: 'older' } });
      const since = signer.sign(about(testClient), platform.clock.now() + 60_000).lease;
      expect(await client.importLease({ text: since })).toMatchObject({ ok: true });
      expect(client.feature('csv_export')).toMatchObject({ ok: true });
    },
  );
});

describe('importing a lease', () => {
  /** Starts a machine that is never online, with an app that has the keys built in. */
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

  it('turns everything on for the lease’s lifetime of machine uptime, whatever the clock says at boot', async () => {
    const testClient = await startOffline();
    const { client, platform, signer } = testClient;
    const { lease: text } = signer.sign(about(testClient), platform.clock.now());
    expect(await client.importLease({ text })).toMatchObject({ ok: true });
    const importedAtMs = platform.clock.now();
    let running: TestClient = testClient;
    for (let day = 1; day <= 15; day++) {
      expect(running.on()).toHaveLength(day <= 14 ? 6 : 0);
      await platform.clock.advance(dayMs);
      running = await running.restart(({ clock }) => {
        clock.reboot();
        clock.setWall(importedAtMs);
      });
    }
  });

  it('of another account grants nothing at any moment while somebody is signed in, and takes effect again after the sign-out', async () => {
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

  it('of another account neither shows nor stores the previous account’s activity, nor adds its own to it', async () => {
    const testClient = await startLeased({ pinned: true });
    const { client, platform, signer } = testClient;
    await testClient.sync();
    await client.signOut({ allDevices: false });
    const ofBob = about(testClient, { sub: 'bob' });
    expect(await client.importLease({ text: signer.sign(ofBob, platform.clock.now()).lease })).toMatchObject({
      ok: true,
    });
    const kinds = () => client.getState().activity.map(({ kind }) => kind);
    expect(kinds()).toEqual(['lease-imported']);
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    expect(kinds()).toContain('device-activated');
    expect(kinds()).not.toContain('lease-imported');
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

  it('refuses an older lease, a lease of another account while somebody is signed in, and an expired lease', async () => {
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

  it('corrects a clock that was ahead on a machine that is never online, but only once', async () => {
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

  it('from a server whose clock was ahead gives way to a correct lease, and cannot be imported again', async () => {
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

  it('corrects a clock that is behind', async () => {
    const testClient = await startOffline();
    const { client, platform, signer, on } = testClient;
    const { lease } = signer.sign(about(testClient), platform.clock.now() + 30 * dayMs);
    expect(await client.importLease({ text: lease })).toMatchObject({ ok: true });
    expect(on()).toHaveLength(6);
    expect(client.getState().clock).toBe('behind');
  });

  it('fails without pinned keys before the first sign-in, because the lease cannot be verified', async () => {
    const testClient = await startTestClient();
    const { lease } = new LeaseSigner().sign(about(testClient), testClient.platform.clock.now());
    const result = await testClient.client.importLease({ text: lease });
    expect(result).toMatchObject({ ok: false, failure: { problem: 'unknown_key' } });
  });
});

/** Starts only the lease modules of the client; Ada is signed in, and the server responds with `answers`. */
async function startAlone({ pinned = false, signedIn = true, opened = true } = {}) {
  const platform = createFakePlatform();
  const { clock, log, secrets, subtle } = platform;
  const startMs = clock.now();
  const owner = { serverAddress: 'https://owner.org', accountId: 'ada', deviceId: 'HW-1' };
  const signer = new LeaseSigner();
  const known = [signer];
  const store = new LicenseStore({ secrets, log, subtle });
  if (opened) await store.open(owner, null);
  const trustedTime = new TrustedTime({ clock });
  const leaseAccount = new LeaseAccount({ secrets, log });
  const activity = new ActivityLog({ clock });
  const answers: (ApiResult<unknown> | (() => ApiResult<unknown> | Promise<ApiResult<unknown>>))[] = [];
  const calls: unknown[][] = [];
  const session = {
    user: signedIn ? { id: 'ada' } : null,
    serverAddress: signedIn ? 'https://session.org' : null,
    call: async (...args: unknown[]) => {
      calls.push(args);
      const answer = answers.shift();
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const keysAskedFor: (string | null)[] = [];
  const learning = { times: 0, learns: null as LeaseSigner | null, meanwhile: async () => {} };
  const leaseKeys = {
    arePinned: pinned,
    source: pinned ? 'built-in' : 'first-use',
    of: (address: string | null) => {
      keysAskedFor.push(address);
      return { keys: known.map(({ jwk }) => jwk) };
    },
    learn: async () => {
      learning.times++;
      await learning.meanwhile();
      if (learning.learns) known.push(learning.learns);
    },
  };
  const about = { current: null as { leases: boolean } | null };
  let notified = 0;
  const lease = new Lease({
    session,
    store,
    leaseKeys,
    leaseAccount,
    deviceIdentity: { id: 'HW-1', load: async () => {} },
    preferences: { current: { serverAddress: 'https://preferred.org' } },
    serverAbout: about,
    trustedTime,
    subtle,
    activity,
    clock,
    log,
    changes: { notify: () => void notified++ },
  } as never);
  /** Claims issued `inMs` after the start and valid for two hours. */
  const claimsAt = (inMs = 0, more: Partial<LeaseClaims> = {}): LeaseClaims => {
    const issuedMs = startMs + inMs;
    return { ...sampleClaims({ issuedMs, renewAfterMs: issuedMs + hourMs, endMs: issuedMs + 2 * hourMs }), ...more };
  };
  const signedAt = (inMs = 0, more: Partial<LeaseClaims> = {}) => signer.signClaims(claimsAt(inMs, more));
  const give = (text: string): ApiResult<unknown> => ({
    kind: 'success',
    response: { lease: text, renew_after: '', expires_at: '' },
    serverTimeMs: null,
  });
  const renewWith = (answer: ApiResult<unknown>) => {
    answers.push(answer);
    return lease.renew();
  };
  const read = async (text: string) => {
    const result = await lease.read(text);
    if (!result.ok) throw new Error(result.failure.message);
    return result.value;
  };
  const importText = async (text: string) => {
    const result = await lease.import(await read(text));
    return result.ok ? 'taken' : result.failure.problem;
  };
  const noted = () => activity.entries.map(({ kind, detail }) => [kind, detail]);
  return {
    ...{ platform, clock, startMs, owner, signer, known, store, trustedTime, leaseAccount, session, answers, calls },
    ...{ keysAskedFor, learning, about, lease, claimsAt, signedAt, give, renewWith, read, importText, noted },
    notified: () => notified,
  };
}

const hourMs = 3_600_000;
const no = { message: 'No.', at: '2026-03-03T09:00:00.000Z' };
const unsupported: ApiResult<unknown> = { kind: 'unsupported', failure: { code: 'NOT_SUPPORTED_BY_SERVER', ...no } };
const inconclusive: ApiResult<unknown> = { kind: 'inconclusive', failure: { code: 'SERVER_UNREACHABLE', ...no } };
const refusal: ApiResult<unknown> = { kind: 'error', failure: { code: 'LICENSE_INACTIVE', ...no } };
const noInfo = { kid: null, license: null, issuedAt: null, renewAfter: null, expiresAt: null };
/** Facts of an activated device whose license key has the preview that the leases name. */
const activatedFacts: Partial<LicenseFacts> = {
  licenseKey: 'SVC-AB12-CD34-EF56-GH7X',
  localChange: { kind: 'activated', activations: 1, maxActivations: 3, at: no.at },
};

describe('the lease information', () => {
  it.each([
    [false, 'first-use'],
    [true, 'built-in'],
  ])('without a lease has only the source of the keys (pinned: %s)', async (pinned, keys) => {
    const { lease } = await startAlone({ pinned });
    expect(lease.info).toEqual({ state: 'none', problem: null, keys, ...noInfo });
    expect(lease).toMatchObject({ claims: null, goodClaims: null, floorMs: 0, arePinned: pinned, isNeeded: pinned });
  });

  it('has the license of the lease and when it was issued, is renewed and expires', async () => {
    const { lease, renewWith, give, signedAt, claimsAt, clock } = await startAlone();
    await renewWith(give(signedAt()));
    const info = {
      state: 'good',
      problem: null,
      kid: 'lease-1',
      keys: 'first-use',
      license: 'SVC-AB12...GH7X',
      issuedAt: '2026-03-03T09:00:00.000Z',
      renewAfter: '2026-03-03T10:00:00.000Z',
      expiresAt: '2026-03-03T11:00:00.000Z',
    };
    expect(lease.info).toEqual(info);
    expect(lease).toMatchObject({ claims: claimsAt(), goodClaims: claimsAt(), isNeeded: true });
    await clock.advance(2 * hourMs - 1);
    expect(lease.info.state).toBe('good');
    await clock.advance(1);
    expect(lease.info).toEqual({ ...info, state: 'expired' });
    expect(lease).toMatchObject({ claims: claimsAt(), goodClaims: null });
  });

  it('names the problem of a stored lease that is not valid, which is logged', async () => {
    const { lease, store, platform } = await startAlone();
    await store.update({ lease: new LeaseSigner().signClaims(sampleClaims({ issuedMs: 0, endMs: 0 })) });
    await lease.restore();
    expect(lease.info).toEqual({ state: 'unusable', problem: 'wrong_signature', keys: 'first-use', ...noInfo });
    expect(platform.logged).toEqual(['the stored lease does not count {"problem":"wrong_signature"}']);
  });

  it('of a stored lease that was not verified yet is an unknown key', async () => {
    const { lease, store, signedAt } = await startAlone();
    await store.update({ lease: signedAt() });
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'unknown_key' });
    expect(lease.claims).toBeNull();
    await lease.restore();
    expect(lease.info.state).toBe('good');
    await store.update({ lease: signedAt(1000) });
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'unknown_key' });
    await store.update({ lease: null });
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
  });

  it('names a lease that the server issued for another account as the problem, and requires a lease from then on', async () => {
    const { lease, renewWith, give, signedAt, platform, store, leaseAccount } = await startAlone();
    await renewWith(give(signedAt(0, { sub: 'bob' })));
    expect(lease.info).toEqual({ state: 'none', problem: 'other_account', keys: 'first-use', ...noInfo });
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, needsLease: true });
    expect(lease.isNeeded).toBe(true);
    expect(leaseAccount.current).toBeNull();
    expect(platform.logged).toEqual(['a lease of the server does not count {"problem":"other_account"}']);
    lease.forget();
    expect(lease.info.problem).toBeNull();
    for (const end of ['restore', 'remove'] as const) {
      await renewWith(give(signedAt(0, { sub: 'bob' })));
      await lease[end]();
      expect(lease.info.problem).toBeNull();
    }
  });

  it('names a stored lease of another account as the problem too, and logs it', async () => {
    const { lease, store, signedAt, platform } = await startAlone();
    await store.update({ lease: signedAt(0, { sub: 'bob' }) });
    await lease.restore();
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'other_account' });
    expect(platform.logged).toEqual(['the stored lease does not count {"problem":"other_account"}']);
  });

  it('belongs to no account while no license is open', async () => {
    const { lease, renewWith, give, signedAt } = await startAlone({ opened: false });
    await renewWith(give(signedAt()));
    expect(lease.info).toMatchObject({ state: 'none', problem: 'other_account' });
    const closed = await startAlone({ opened: false, signedIn: false });
    expect(await closed.importText(closed.signedAt())).toBe('taken');
    expect(closed.leaseAccount.current).toBeNull();
  });
});

describe('a stored lease', () => {
  it('is verified with the keys of the session’s server, else of the account’s, else of the one in the preferences', async () => {
    for (const [given, address] of [
      [{}, 'https://session.org'],
      [{ signedIn: false }, 'https://owner.org'],
      [{ signedIn: false, opened: false }, 'https://preferred.org'],
    ] as const) {
      const { lease, signedAt, keysAskedFor } = await startAlone(given);
      await lease.read(signedAt());
      expect(keysAskedFor).toEqual([address]);
    }
  });

  it('is valid after a restart, with the time at which it was signed as its floor', async () => {
    const { lease, store, signedAt, startMs, claimsAt, platform } = await startAlone();
    await store.update({ lease: signedAt(hourMs) });
    await lease.restore();
    expect(lease).toMatchObject({ claims: claimsAt(hourMs), goodClaims: claimsAt(hourMs), floorMs: startMs + hourMs });
    expect(lease.info).toMatchObject({ state: 'good', problem: null });
    expect(platform.logged).toEqual([]);
  });

  it('with an unknown key is used once the key is known, and is deleted if anything else is wrong with it', async () => {
    const { lease, store, known, claimsAt, signedAt } = await startAlone();
    const next = new LeaseSigner('lease-2');
    const text = next.signClaims(claimsAt(60_000));
    await store.update({ unknownKeyLease: text });
    await lease.restore();
    expect(lease.info).toEqual({ state: 'unusable', problem: 'unknown_key', keys: 'first-use', ...noInfo });
    await store.update({ lease: signedAt() });
    await lease.restore();
    expect(lease.info).toMatchObject({ state: 'good', kid: 'lease-1', problem: 'unknown_key' });
    expect(store.facts.unknownKeyLease).toBe(text);
    known.push(next);
    await lease.restore();
    expect(lease.info).toMatchObject({ state: 'good', kid: 'lease-2', problem: null });
    expect(store.facts).toMatchObject({ lease: text, unknownKeyLease: null, needsLease: true });
    await store.update({ unknownKeyLease: next.signClaims(claimsAt(0, { device_id: 'HW-2' })) });
    await lease.restore();
    expect(store.facts).toMatchObject({ lease: text, unknownKeyLease: null });
    expect(lease.info).toMatchObject({ state: 'good', problem: null });
  });
});

describe('whether a server has leases', () => {
  const given = async () => {
    const alone = await startAlone();
    return { ...alone, success: alone.give(alone.signedAt()) };
  };

  it('is unknown before the server was asked, and again after a change of server', async () => {
    const { lease, renewWith, success } = await given();
    expect(lease).toMatchObject({ capability: 'unknown', isOffered: true });
    await renewWith(success);
    lease.forgetServer();
    expect(lease.capability).toBe('unknown');
  });

  it('is learned from each conclusive answer, and not changed by an inconclusive one', async () => {
    const { lease, renewWith, success } = await given();
    for (const [answer, capability] of [
      [inconclusive, 'unknown'],
      [success, 'available'],
      [inconclusive, 'available'],
      [unsupported, 'missing'],
      [inconclusive, 'missing'],
      [refusal, 'available'],
    ] as const) {
      await renewWith(answer);
      expect(lease).toMatchObject({ capability, isOffered: capability !== 'missing' });
    }
  });

  it.each([
    [24 * hourMs - 1, false],
    [24 * hourMs, true],
  ])('is asked again a day after it had none: after %i ms %s, or at once when the user asks', async (ms, isOffered) => {
    const { lease, store, renewWith, clock, answers, calls } = await given();
    await store.update(activatedFacts);
    await clock.advance(hourMs);
    await renewWith(unsupported);
    expect(lease).toMatchObject({ isOffered: false, dueInMs: null });
    await clock.advance(ms);
    expect(lease.isOffered).toBe(isOffered);
    answers.push(inconclusive, inconclusive);
    expect(await lease.renewIfDue(false)).toEqual(isOffered ? inconclusive : null);
    expect(await lease.renewIfDue(true)).toEqual(inconclusive);
    expect(calls).toHaveLength(isOffered ? 3 : 2);
  });

  it('is taken from its own announcement, whatever answers in its place', async () => {
    const { lease, renewWith, about } = await given();
    await renewWith(unsupported);
    about.current = { leases: false };
    expect(lease.isOffered).toBe(false);
    about.current = { leases: true };
    expect(lease.isOffered).toBe(true);
    lease.forgetServer();
    expect(await renewWith(unsupported)).toEqual({
      kind: 'inconclusive',
      failure: {
        code: 'SERVER_RESPONSE_INVALID',
        message: 'The server says that it has leases, and had none to give.',
        at: '2026-03-03T09:00:00.000Z',
      },
    });
    expect(lease.capability).toBe('unknown');
    expect(await renewWith(refusal)).toEqual(refusal);
  });
});

describe('the time until the next lease request', () => {
  it('is not set without a lease, unless one is needed and the last request brought none', async () => {
    const optional = await startAlone();
    await optional.renewWith(inconclusive);
    expect(optional.lease.dueInMs).toBeNull();
    const pinned = await startAlone({ pinned: true });
    expect(pinned.lease.dueInMs).toBeNull();
    await pinned.renewWith(refusal);
    expect(pinned.lease.dueInMs).toBeNull();
    await pinned.renewWith(inconclusive);
    expect(pinned.lease.dueInMs).toBe(0);
    await pinned.renewWith(unsupported);
    expect(pinned.lease.dueInMs).toBeNull();
    await pinned.renewWith(pinned.give(pinned.signedAt(0, { sub: 'bob' })));
    expect(pinned.lease.dueInMs).toBe(0);
    await pinned.lease.restore();
    expect(pinned.lease.dueInMs).toBeNull();
  });

  it('runs until half of the lifetime has passed, and is not set while requests fail after that', async () => {
    const { lease, renewWith, give, signedAt, clock } = await startAlone();
    await renewWith(give(signedAt()));
    expect(lease.dueInMs).toBe(hourMs);
    await clock.advance(hourMs - 1);
    expect(lease.dueInMs).toBe(1);
    await renewWith(inconclusive);
    expect(lease.dueInMs).toBe(1);
    await clock.advance(1);
    expect(lease.dueInMs).toBeNull();
    await clock.advance(hourMs - 1);
    expect(lease.dueInMs).toBeNull();
    await clock.advance(1);
    expect(lease.dueInMs).toBe(0);
  });

  it('is zero past half of the lifetime if no lease was requested', async () => {
    const { lease, renewWith, give, signedAt, clock } = await startAlone();
    await renewWith(give(signedAt()));
    await clock.advance(hourMs + 5);
    expect(lease.dueInMs).toBe(0);
  });
});

describe('requesting a lease', () => {
  it('names this device, and notifies of the change', async () => {
    const { calls, renewWith, give, signedAt, notified } = await startAlone();
    await renewWith(give(signedAt()));
    expect(calls).toEqual([['lease', { body: { device_id: 'HW-1' } }]]);
    expect(notified()).toBe(1);
  });

  it('is not due on a device that is not activated, nor once a new lease was issued', async () => {
    const { lease, store, answers, give, signedAt, calls } = await startAlone();
    expect(await lease.renewIfDue(true)).toBeNull();
    await store.update(activatedFacts);
    answers.push(give(signedAt()));
    expect(await lease.renewIfDue(false)).toMatchObject({ kind: 'success' });
    expect(await lease.renewIfDue(true)).toBeNull();
    expect(calls).toHaveLength(1);
  });

  it.each([
    [hourMs - 1, 1],
    [hourMs, 2],
  ])('is due again an hour after a refusal, or when the user asks: %i ms later', async (ms, count) => {
    const { lease, store, answers, calls, clock } = await startAlone();
    await store.update(activatedFacts);
    answers.push(refusal, refusal, refusal);
    await clock.advance(2 * hourMs);
    await lease.renewIfDue(false);
    await clock.advance(ms);
    await lease.renewIfDue(false);
    expect(calls).toHaveLength(count);
    await lease.renewIfDue(true);
    expect(calls).toHaveLength(count + 1);
  });

  it('is due at once if the status contradicts a new lease, but not again for the same contradiction unless it agreed in between', async () => {
    const { lease, store, answers, give, signedAt, calls, clock } = await startAlone();
    const statusOf = (plan: string): LicenseFacts['status'] => {
      const license = { key_preview: 'SVC-AB12...GH7X', plan, status: 'active', activations: 1, max_activations: 3 };
      return { response: { license, subscription: { plan }, features: { csv_export: true } } as never, at: no.at };
    };
    const asks = async () => {
      const before = calls.length;
      answers.splice(0, 1, give(signedAt(calls.length * 1000)));
      await lease.renewIfDue(false);
      return calls.length > before;
    };
    await store.update({ ...activatedFacts, status: statusOf('advanced') });
    expect([await asks(), await asks(), await asks(), await asks()]).toEqual([true, true, false, false]);
    await store.update({ status: statusOf('standard') });
    expect(await asks()).toBe(false);
    await store.update({ status: statusOf('advanced') });
    expect([await asks(), await asks()]).toEqual([true, false]);
    await clock.advance(hourMs / 2);
    expect(await asks()).toBe(false);
  });

  it('stores the lease with the time, and remembers its account', async () => {
    const { lease, renewWith, give, signedAt, store, trustedTime, leaseAccount, startMs, noted } = await startAlone();
    await store.update({ unknownKeyLease: 'before' });
    const text = signedAt(hourMs);
    expect(await renewWith(give(text))).toMatchObject({ kind: 'success' });
    expect(store.facts).toMatchObject({ lease: text, unknownKeyLease: null, needsLease: true });
    expect(store.facts.time).toEqual(trustedTime.reading());
    expect(trustedTime.signedMs).toBe(startMs + hourMs);
    expect(leaseAccount.current).toEqual({ serverAddress: 'https://owner.org', accountId: 'ada' });
    expect(noted()).toEqual([]);
    expect(lease.info.state).toBe('good');
  });

  it('ends the lease in use when it is refused, and records that if there was one', async () => {
    const { lease, renewWith, give, signedAt, store, trustedTime, noted, platform, clock } = await startAlone();
    await renewWith(refusal);
    expect(noted()).toEqual([]);
    expect(store.facts).toMatchObject({ lease: null, needsLease: true, endedAt: '2026-03-03T09:00:00.000Z' });
    await renewWith(give(signedAt()));
    await store.update({ unknownKeyLease: 'another' });
    await clock.advance(1000);
    await renewWith(refusal);
    expect(noted()).toEqual([['lease-ended', null]]);
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, endedAt: '2026-03-03T09:00:01.000Z' });
    expect(store.facts.time).toEqual(trustedTime.reading());
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
    expect(platform.logged).toEqual(Array(2).fill('the server has refused a lease {}'));
    expect(endLease(0)).toEqual({ lease: null, unknownKeyLease: null, endedAt: '1970-01-01T00:00:00.000Z' });
  });

  it('leaves the lease in use with any other answer', async () => {
    const { lease, renewWith, give, signedAt } = await startAlone();
    await renewWith(give(signedAt()));
    const otherError: ApiResult<unknown> = { kind: 'error', failure: { code: 'DEVICE_NOT_FOUND', ...no } };
    const sameCode: ApiResult<unknown> = { kind: 'inconclusive', failure: { code: 'LICENSE_INACTIVE', ...no } };
    for (const answer of [otherError, sameCode, inconclusive, unsupported]) {
      expect(await renewWith(answer)).toEqual(answer);
      expect(lease.info.state).toBe('good');
    }
  });

  it('ignores the answer if the lease was ended meanwhile or another account is open', async () => {
    for (const isOther of [false, true]) {
      const { lease, answers, give, signedAt, store, owner, notified } = await startAlone();
      answers.push(async () => {
        if (isOther) await store.open({ ...owner }, null);
        else await store.update(endLease(0));
        return give(signedAt());
      });
      expect(await lease.renew()).toMatchObject({ kind: 'success' });
      expect(lease).toMatchObject({ claims: null, capability: 'unknown' });
      expect(store.facts.lease).toBeNull();
      expect(notified()).toBe(0);
    }
  });

  it.each([
    ['something else has ended it', false],
    ['another account was opened', true],
  ])('ignores the answer too if %s while its key was fetched', async (_, isOther) => {
    const { lease, renewWith, give, claimsAt, learning, store, owner, notified } = await startAlone();
    learning.learns = new LeaseSigner('lease-2');
    learning.meanwhile = () => (isOther ? store.open({ ...owner, accountId: 'bob' }, null) : store.update(endLease(0)));
    expect(await renewWith(give(learning.learns.signClaims(claimsAt())))).toMatchObject({ kind: 'success' });
    expect(learning.times).toBe(1);
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, needsLease: false });
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
    expect(notified()).toBe(0);
  });

  it.each([
    ['after', [1, 0]],
    ['before', [0, 1]],
  ])(
    'is not affected by the refusal of an earlier request that arrives %s the lease of a later one',
    async (_, order) => {
      const { lease, answers, give, signedAt } = await startAlone();
      const arrivals = [refusal, give(signedAt())].map((answer) => {
        let arrive = () => {};
        const arrived = new Promise<void>((resolve) => {
          arrive = resolve;
        });
        answers.push(() => arrived.then(() => answer));
        return { arrive, asking: lease.renew() };
      });
      for (const index of order) {
        arrivals[index]?.arrive();
        await arrivals[index]?.asking;
      }
      expect(lease.info.state).toBe('good');
    },
  );

  it('does not replace the lease of a later request with an older one', async () => {
    const { lease, answers, give, signedAt, store } = await startAlone();
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const later = signedAt(1000);
    answers.push(() => arrived.then(() => give(signedAt())), give(later));
    const asking = lease.renew();
    await lease.renew();
    arrive();
    await asking;
    expect(store.facts.lease).toBe(later);
  });

  it.each([
    [false, 1],
    [true, 0],
  ])('fetches a new key, unless keys are pinned (%s)', async (pinned, times) => {
    const { lease, renewWith, give, claimsAt, learning, store } = await startAlone({ pinned });
    const next = new LeaseSigner('lease-2');
    learning.learns = next;
    const text = next.signClaims(claimsAt());
    await renewWith(give(text));
    expect(learning.times).toBe(times);
    expect(lease.info.state).toBe(pinned ? 'unusable' : 'good');
    expect(store.facts.unknownKeyLease).toBe(pinned ? text : null);
  });

  it('keeps a lease with a key that stays unknown, and fetches no key for a lease with a wrong signature', async () => {
    const { lease, renewWith, give, claimsAt, learning, store } = await startAlone();
    const text = new LeaseSigner('lease-2').signClaims(claimsAt());
    await renewWith(give(text));
    expect(learning.times).toBe(1);
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: text, needsLease: true });
    await renewWith(give(new LeaseSigner('lease-1').signClaims(claimsAt())));
    expect(learning.times).toBe(1);
    expect(store.facts.unknownKeyLease).toBe(text);
    expect(lease.info).toMatchObject({ state: 'unusable', problem: 'wrong_signature' });
  });
});

describe('reading a lease', () => {
  it.each<[string, (text: string) => string]>([
    ['of two parts', (text) => text.split('.').slice(1).join('.')],
    ['of four parts', (text) => `${text}.more`],
    ['with something before it', (text) => `!${text}`],
    ['with something after it', (text) => `${text}!`],
    ['with an empty part', (text) => text.replace(/\..*\./, '..')],
    ['with a part of other characters', (text) => text.replace('.', '.+')],
    ['that is one character too long', (text) => text.padEnd(16 * 1024 + 1)],
  ])('refuses a text %s', async (_, change) => {
    const { lease, signedAt, learning, keysAskedFor } = await startAlone();
    expect(await lease.read(change(signedAt()))).toEqual({
      ok: false,
      failure: { code: 'LEASE_REFUSED', message: 'This is no lease.', at: no.at, problem: 'malformed' },
    });
    expect(learning.times).toBe(0);
    expect(keysAskedFor).toEqual([]);
  });

  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['as long as a text may be', (text) => text.padEnd(16 * 1024)],
    ['in lines', (text) => `\uFEFF  ${text.slice(0, 9)}\r\n\t${text.slice(9)}\n\n`],
  ])('accepts a text %s', async (_, change) => {
    const { lease, signedAt, claimsAt, store } = await startAlone();
    const text = signedAt();
    const value = { lease: text, kid: 'lease-1', claims: claimsAt() };
    expect(await lease.read(change(text))).toEqual({ ok: true, value });
    expect(store.facts.lease).toBeNull();
  });

  it.each<[string, string, Partial<LeaseClaims>, string | null]>([
    ['other_device', 'The lease is for another device.', { device_id: 'HW-2' }, null],
    ['other_account', 'The lease is for another account.', { sub: 'bob' }, null],
    ['wrong_signature', 'The signature of the lease is wrong.', {}, 'lease-1'],
    ['unknown_key', 'The lease is signed with a key that this app does not know.', {}, 'lease-9'],
  ])('refuses a lease with the problem %s: %s', async (problem, message, claims, kid) => {
    const { lease, claimsAt, signer, learning } = await startAlone();
    const text = (kid === null ? signer : new LeaseSigner(kid)).signClaims(claimsAt(0, claims));
    const failure = { code: 'LEASE_REFUSED', message, at: no.at, problem };
    expect(await lease.read(text)).toEqual({ ok: false, failure });
    expect(learning.times).toBe(problem === 'unknown_key' ? 1 : 0);
  });

  it('fetches a new key with the session, and without one accepts a lease of any account', async () => {
    const signedIn = await startAlone();
    const next = new LeaseSigner('lease-2');
    signedIn.learning.learns = next;
    expect(await signedIn.lease.read(next.signClaims(signedIn.claimsAt()))).toMatchObject({
      value: { kid: 'lease-2' },
    });
    const signedOut = await startAlone({ signedIn: false });
    signedOut.learning.learns = next;
    const unknown = await signedOut.lease.read(next.signClaims(signedOut.claimsAt()));
    expect(unknown).toMatchObject({ failure: { problem: 'unknown_key' } });
    expect(signedOut.learning.times).toBe(0);
    expect(await signedOut.lease.read(signedOut.signedAt(0, { sub: 'bob' }))).toMatchObject({ ok: true });
  });
});

describe('importing a lease that was read', () => {
  it('records it, notifies of it and stores it', async () => {
    const { lease, store, read, signedAt, noted, notified, platform } = await startAlone();
    const text = signedAt();
    const taken = await read(text);
    expect(await lease.import(taken)).toEqual({ ok: true, value: taken });
    expect(noted()).toEqual([['lease-imported', 'SVC-AB12...GH7X']]);
    expect(store.facts.activity).toMatchObject([{ kind: 'lease-imported' }]);
    expect(store.facts.lease).toBe(text);
    expect([...platform.secrets.values.values()].join()).toContain(text);
    expect(notified()).toBe(1);
    expect(lease.info.state).toBe('good');
  });

  it.each([
    [-1000, 'older'],
    [0, 'taken'],
    [1000, 'taken'],
  ])('that was signed %i ms from the one in use: %s', async (byMs, expected) => {
    const { importText, signedAt, lease } = await startAlone();
    await importText(signedAt());
    expect(await importText(signedAt(byMs))).toBe(expected);
    const result = await lease.import({ lease: '', kid: '', claims: sampleClaims({ issuedMs: 0, endMs: 0 }) });
    const message = 'A later answer of the server is in use already.';
    expect(result).toEqual({ ok: false, failure: { code: 'LEASE_REFUSED', message, at: no.at, problem: 'older' } });
  });

  it.each([
    [999, 'taken'],
    [1000, 'taken'],
    [1001, 'older'],
  ])('that was signed in the second before the last one ended, %i ms after it began: %s', async (ms, expected) => {
    const { importText, signedAt, store, startMs } = await startAlone();
    await store.update({ endedAt: new Date(startMs + ms).toISOString() });
    expect(await importText(signedAt())).toBe(expected);
  });

  it.each([
    [2 * hourMs - 1, 'taken'],
    [2 * hourMs, 'expired'],
  ])('that was signed %i ms ago by the server’s time: %s', async (ms, expected) => {
    const { lease, read, importText, signedAt, trustedTime, clock } = await startAlone();
    trustedTime.confirm(clock.now());
    await clock.advance(ms);
    expect(await importText(signedAt())).toBe(expected);
    const result = await lease.import(await read(signedAt(-dayMs)));
    if (expected === 'expired') expect(result).toMatchObject({ failure: { message: 'The lease has expired.' } });
  });

  it('overrides the clock of the machine, but not a time that the server has signed', async () => {
    const { importText, signedAt, trustedTime, clock, startMs } = await startAlone();
    clock.setWall(startMs + 90 * dayMs);
    trustedTime.forgetServer({ keepsSigned: false });
    expect(await importText(signedAt())).toBe('taken');
    expect(trustedTime.nowMs()).toBe(startMs);
    const signed = await startAlone();
    signed.trustedTime.notBefore(startMs);
    await signed.clock.advance(2 * hourMs);
    expect(await signed.importText(signed.signedAt())).toBe('expired');
  });

  it('overrides a Date that was far ahead, but only until its own end by the measured time', async () => {
    const { importText, signedAt, trustedTime, clock, startMs } = await startAlone();
    trustedTime.confirm(startMs + 90 * dayMs);
    expect(await importText(signedAt())).toBe('taken');
    expect(trustedTime.nowMs()).toBe(startMs);
    await clock.advance(2 * hourMs);
    trustedTime.confirm(startMs + 90 * dayMs);
    expect(await importText(signedAt())).toBe('expired');
  });

  it('from far ahead gives way to a correct lease, and cannot be imported again', async () => {
    const { lease, importText, signedAt, clock, startMs, trustedTime } = await startAlone();
    const ahead = signedAt(90 * dayMs);
    await importText(signedAt());
    expect(await importText(ahead)).toBe('taken');
    expect(lease.floorMs).toBe(startMs + 90 * dayMs);
    expect(await importText(signedAt(90 * dayMs - 1000))).toBe('older');
    await clock.advance(2 * hourMs);
    expect(await importText(ahead)).toBe('expired');
    expect(await importText(signedAt(2 * hourMs))).toBe('taken');
    expect(trustedTime.nowMs()).toBe(startMs + 2 * hourMs);
    expect(await importText(ahead)).toBe('expired');
  });
});

describe('removing a lease', () => {
  it('deletes it from memory and disk, with its account', async () => {
    const { lease, store, renewWith, give, signedAt, leaseAccount } = await startAlone();
    await renewWith(give(signedAt()));
    await store.update({ unknownKeyLease: 'another' });
    await lease.remove();
    expect(store.facts).toMatchObject({ lease: null, unknownKeyLease: null, needsLease: true });
    expect(lease.info).toMatchObject({ state: 'none', problem: null });
    expect(leaseAccount.current).toBeNull();
  });

  it('keeps the remembered account of another lease that was imported while nobody was signed in', async () => {
    const { lease, leaseAccount, owner, store } = await startAlone();
    await leaseAccount.remember({ ...owner, accountId: 'bob' });
    await lease.remove();
    expect(leaseAccount.current).toMatchObject({ accountId: 'bob' });
    store.close();
    await lease.remove();
    expect(leaseAccount.current).toBeNull();
  });

  it.each(['lease', 'unknownKeyLease'] as const)('writes only if there is one: %s', async (name) => {
    const { lease, store, platform } = await startAlone();
    await lease.remove();
    expect(platform.secrets.writes).toEqual([]);
    await store.update({ [name]: 'text' });
    await lease.remove();
    expect(platform.secrets.writes).toHaveLength(2);
    expect(store.facts[name]).toBeNull();
  });
});
