/** Leases in the whole client: what they entitle to, when they are requested and renewed, and what ends them. */
import { describe, expect, it } from 'vitest';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { activationId, errorReply, licenseKey, missing } from './scripted-server.ts';
import { licenseDocumentName, startTestClient } from './start-client.ts';
import {
  about,
  aboutReply,
  dayMs,
  leasesAsked,
  pin,
  renew,
  startLeased,
  startSignedIn,
  storedFacts,
} from './start-leased.ts';

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
      // Otherwise it would store what has happened, over the edited store.
      await testClient.sync();
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
