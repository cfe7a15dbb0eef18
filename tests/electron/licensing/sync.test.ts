/** When heartbeats and syncs run, and what users see while offline. */
import { describe, expect, it } from 'vitest';
import { type Reply, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { errorReply, licenseKey } from './scripted-server.ts';
import {
  licenseDocumentName,
  startActivated,
  startSignedIn,
  startTestClient,
  type TestClient,
} from './start-client.ts';
import { startSignedIn as startSignedInForLeases } from './start-leased.ts';

const minuteMs = 60_000;
const down: Reply = { fails: 'unreachable' };
const beaten: Reply = { json: { success: true, timestamp: '2026-03-03T09:00:00.000Z' } };

/** Returns the milliseconds until the next sync. Half of each random range is used. */
function untilNextMs({ client, platform }: TestClient): number {
  return Date.parse(client.getState().heartbeat.nextAt ?? '') - platform.clock.now();
}

function waitReply(status: number, code: string, seconds: number): Reply {
  return { status, headers: { 'retry-after': String(seconds) }, json: { error: 'Wait.', code } };
}

/** Starts with a device that is activated, after a sync that has asked for everything. */
async function startSynced(): Promise<TestClient> {
  const test = await startActivated();
  await test.platform.clock.advance(10_000);
  await test.sync();
  return test;
}

describe('heartbeats', () => {
  it('start within 10 s of sign-in', async () => {
    const { platform } = await startSignedIn();
    await platform.clock.advance(10_000);
    expect(platform.http.to('/heartbeat').length).toBeGreaterThan(0);
  });

  it('start within 10 s of activation', async () => {
    const { platform } = await startActivated();
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(10_000);
    expect(platform.http.to('/heartbeat').length).toBeGreaterThan(before);
  });

  it('start within 10 s of a start with a stored session', async () => {
    const testClient = await startActivated();
    const before = testClient.platform.http.to('/heartbeat').length;
    const { platform } = await testClient.restart();
    await platform.clock.advance(10_000);
    expect(platform.http.to('/heartbeat').length).toBeGreaterThan(before);
  });

  it('start within 10 s of a sign-in even if a sync of the previous session is still running', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /subscription/status', () => new Promise(() => {}));
    void client.syncNow();
    await platform.clock.advance(1);
    await client.signOut({ allDevices: false });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(10_000);
    expect(platform.http.to('/heartbeat').length).toBeGreaterThan(before);
  });

  it('of the previous account leave no trace in the stored data of the next one', async () => {
    const { client, platform, server } = await startSignedIn();
    let answer = (_: Reply) => {};
    platform.http.on('POST /heartbeat', () => new Promise((resolve) => (answer = resolve)));
    const sync = client.syncNow();
    await settle();
    server.user = { id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org', full_name: 'Bob' };
    const { read } = platform.secrets;
    Object.assign(platform.secrets, {
      read: async (name: string) => {
        const value = await read(name);
        if (!name.startsWith('license')) return value;
        // While the license of the next account is being read.
        answer(errorReply(403, 'OTHER'));
        await settle();
        return value;
      },
    });
    await client.signIn({ email: 'bob@lab.org', password: 'right' });
    await sync;
    expect(JSON.stringify(client.getState().activity)).not.toContain('ada@lab.org');
    await client.stop();
  });

  it('are sent every five minutes while the window is hidden', async () => {
    const { platform } = await startSignedIn();
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(60 * minuteMs);
    expect(platform.http.to('/heartbeat').length - before).toBe(12);
  });

  it('are sent every minute in the foreground, each followed by a validation', async () => {
    const { client, platform } = await startActivated();
    await platform.clock.advance(10_000);
    client.setForeground(true);
    const before = platform.http.requests.length;
    await platform.clock.advance(10 * minuteMs);
    const paths = platform.http.requests.slice(before).map(({ url }) => url.split('/api/v1')[1]);
    expect(paths.filter((path) => path === '/heartbeat').length).toBeGreaterThanOrEqual(10);
    expect(paths.filter((path) => path === '/license/validate')).toHaveLength(
      paths.filter((path) => path === '/heartbeat').length,
    );
  });

  it('adopt a changed interval immediately', async () => {
    const { client, platform } = await startSignedIn();
    await client.changeSettings({ heartbeatIntervalSeconds: 60 });
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(5 * minuteMs);
    expect(platform.http.to('/heartbeat').length - before).toBeGreaterThanOrEqual(4);
  });

  it('run soon after the machine wakes', async () => {
    const { platform } = await startSignedIn();
    const before = platform.http.to('/heartbeat').length;
    platform.wake();
    await platform.clock.advance(5000);
    expect(platform.http.to('/heartbeat')).toHaveLength(before + 1);
  });

  it('that fail right after waking, before the network is up, do not show offline and are retried within seconds', async () => {
    const { client, platform } = await startActivated();
    const shown = new Set<string>();
    client.subscribe((state) => shown.add(state.server.reachability.kind));
    await platform.clock.advance(10_000);
    const untilNextMs = Date.parse(client.getState().heartbeat.nextAt ?? '') - platform.clock.now();
    await platform.clock.advance(untilNextMs - 1000);
    platform.suspend();
    platform.clock.sleep(8 * 60 * minuteMs);
    platform.http.cut(down);
    // A due timer may run before the system reports that it is awake.
    await platform.clock.advance(3000);
    platform.wake();
    await platform.clock.advance(8000);
    platform.http.cut(null);
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(5000);
    expect(platform.http.to('/heartbeat').length).toBeGreaterThan(before);
    expect([...shown]).toEqual(['online']);
    expect(client.getState().activity.map(({ kind }) => kind)).not.toContain('went-offline');
  });

  it('that fail right after a waking of which only the end was reported do not show offline', async () => {
    const { client, platform } = await startSynced();
    platform.http.cut(down);
    platform.wake();
    await platform.clock.advance(5000);
    expect(client.getState().server.reachability.kind).toBe('online');
  });

  it('that still fail 15 s after waking show offline', async () => {
    const { client, platform } = await startActivated();
    platform.suspend();
    platform.clock.sleep(minuteMs);
    platform.http.cut(down);
    platform.wake();
    await platform.clock.advance(20_000);
    expect(client.getState().server.reachability.kind).toBe('offline');
  });

  it('write the license once each', async () => {
    const { client, platform, sync } = await startActivated();
    await sync();
    platform.secrets.writes.length = 0;
    for (let syncs = 0; syncs < 3; syncs++) await sync();
    expect(platform.secrets.writes).toHaveLength(3);
    const { facts } = JSON.parse(platform.secrets.writes.at(-1)?.value ?? '');
    expect(Date.parse(facts.validation.at)).toBeGreaterThan(platform.clock.now() - 2000);
    expect(facts.status.at).toBe(facts.validation.at);
    await client.stop();
    const written = platform.secrets.writes.map(({ name }) => name);
    expect(written.filter((name) => name !== 'timeline')).toHaveLength(3);
    expect(written).toHaveLength(4);
  });

  it('report when the last one was sent and when the next one is due', async () => {
    const { sync, client, platform } = await startSignedIn();
    const { lastAt, nextAt } = client.getState().heartbeat;
    expect(Date.parse(nextAt ?? '') - Date.parse(lastAt ?? '')).toBe(300_000);
    platform.http.on('POST /heartbeat', { status: 500, text: '' });
    await sync();
    expect(client.getState().heartbeat).toMatchObject({ lastAt, lastFailure: { code: 'SERVER_UNREACHABLE' } });
  });
});

describe('a server that cannot be reached', () => {
  it('is shown at the first failed call and tried again after 15 s', async () => {
    const { client, platform } = await startActivated();
    client.setForeground(true);
    await platform.clock.advance(minuteMs);
    platform.http.cut(down);
    void client.syncNow();
    await platform.clock.advance(1000);
    const failedAt = Date.parse(client.getState().activity[0]?.at ?? '');
    expect(client.getState()).toMatchObject({
      license: { kind: 'offline', plan: 'standard' },
      server: { reachability: { kind: 'offline' } },
    });
    const { reachability } = client.getState().server;
    if (reachability.kind !== 'offline') throw new Error('offline is expected');
    expect(Date.parse(reachability.nextTryAt ?? '') - failedAt).toBeLessThanOrEqual(15_000);
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(15_000);
    expect(platform.http.to('/heartbeat').length).toBeGreaterThan(before);
  });

  it('is tried at least every minute in the foreground, so that its return is noticed within 90 s', async () => {
    const { client, platform } = await startActivated();
    client.setForeground(true);
    platform.http.cut(down);
    await platform.clock.advance(60 * minuteMs);
    const before = platform.http.requests.length;
    await platform.clock.advance(10 * minuteMs);
    expect(platform.http.requests.length - before).toBeGreaterThanOrEqual(10);
    platform.http.cut(null);
    await platform.clock.advance(90_000);
    expect(client.getState().server.reachability).toEqual({ kind: 'online' });
    expect(client.getState().license.kind).toBe('works');
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('back-online');
  });

  it('is tried about every five minutes while the window is hidden, and immediately when the window is shown again', async () => {
    const { client, platform } = await startActivated();
    platform.http.cut(down);
    await platform.clock.advance(60 * minuteMs);
    const before = platform.http.requests.length;
    await platform.clock.advance(30 * minuteMs);
    expect(platform.http.requests.length - before).toBeLessThanOrEqual(14);
    platform.http.cut(null);
    await platform.clock.advance(30_000);
    client.setForeground(true);
    await platform.clock.advance(15_000);
    expect(client.getState().server.reachability.kind).toBe('online');
  });

  it('is not called for as long as a 429 demands', async () => {
    const { sync, client, platform } = await startActivated();
    client.setForeground(true);
    await platform.clock.advance(minuteMs);
    platform.http.cut({
      status: 429,
      headers: { 'retry-after': '200' },
      json: { error: 'Wait.', code: 'RATE_LIMITED' },
    });
    await sync();
    platform.http.cut(null);
    const before = platform.http.requests.length;
    await platform.clock.advance(198_000);
    expect(platform.http.requests).toHaveLength(before);
    expect(client.getState().license.kind).toBe('works');
    await platform.clock.advance(3000);
    expect(platform.http.requests.length).toBeGreaterThan(before);
  });

  it('adds one activity entry when it is lost and one when it is back', async () => {
    const { client, platform } = await startActivated();
    platform.http.cut(down);
    await platform.clock.advance(60 * minuteMs);
    platform.http.cut(null);
    await platform.clock.advance(10 * minuteMs);
    const kinds = client.getState().activity.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'went-offline')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'back-online')).toHaveLength(1);
  });
});

describe('a revocation', () => {
  it('shows immediately on Check now', async () => {
    const { client, server, on } = await startActivated();
    server.invalidCode = 'LICENSE_REVOKED';
    await client.syncNow();
    expect(on()).toEqual([]);
  });

  it('shows on Check now even if a sync was already in progress', async () => {
    const { client, platform, server, on } = await startActivated();
    let respond = () => {};
    const status = { has_subscription: false, subscription: null, license: null, features: server.features };
    platform.http.on('GET /subscription/status', async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return { json: status };
    });
    const first = client.syncNow();
    await platform.clock.advance(1);
    server.invalidCode = 'LICENSE_REVOKED';
    const second = client.syncNow();
    platform.http.on('GET /subscription/status', { json: status });
    respond();
    await Promise.all([first, second]);
    expect(on()).toEqual([]);
  });

  it('shows within a minute in the foreground', async () => {
    const { client, platform, server } = await startActivated();
    client.setForeground(true);
    await platform.clock.advance(5 * minuteMs);
    server.invalidCode = 'LICENSE_REVOKED';
    await platform.clock.advance(minuteMs);
    expect(client.getState().license).toEqual({ kind: 'blocked', reason: 'revoked' });
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('license-rejected');
  });
});

describe('prolonged offline use', () => {
  it('works until the grace period of 7 days has ended, and again once the server is back', async () => {
    const { client, platform, on } = await startActivated();
    await platform.clock.advance(10_000);
    platform.http.cut(down);
    await platform.clock.advance(6.9 * 24 * 60 * minuteMs);
    expect(client.getState().license.kind).toBe('offline');
    expect(on()).toHaveLength(6);
    await platform.clock.advance(0.2 * 24 * 60 * minuteMs);
    expect(client.getState().license.kind).toBe('offline-ended');
    expect(on()).toEqual([]);
    platform.http.cut(null);
    await platform.clock.advance(6 * minuteMs);
    expect(client.getState().license.kind).toBe('works');
  });

  it('is not extended by setting the clock back, not even across a restart', async () => {
    const testClient = await startActivated();
    const { clock, http } = testClient.platform;
    const startMs = clock.now();
    http.cut(down);
    await clock.advance(4 * 24 * 60 * minuteMs);
    clock.setWall(startMs);
    await clock.advance(2 * 24 * 60 * minuteMs);
    const again = await testClient.restart();
    clock.setWall(startMs);
    expect(again.client.getState().license.kind).not.toBe('offline-ended');
    await clock.advance(1.5 * 24 * 60 * minuteMs);
    expect(again.client.getState().license.kind).toBe('offline-ended');
  });

  it('does not lock the user out for good after a boot with a clock that was far ahead', async () => {
    const { restart } = await startActivated();
    const { sync, client, platform } = await restart(({ clock, http }) => {
      http.cut(down);
      clock.reboot();
      clock.setWall(clock.now() + 365 * 86_400_000);
    });
    await platform.clock.advance(10 * minuteMs);
    expect(client.getState().license.kind).toBe('offline-ended');
    platform.http.cut(null);
    await sync();
    expect(client.getState()).toMatchObject({ license: { kind: 'works' }, clock: 'in-sync' });
    platform.http.cut(down);
    await sync();
    expect(client.getState().license.kind).toBe('offline');
  });
});

describe('stopping the client', () => {
  it('leaves no timer and notifies nobody', async () => {
    const { client, platform } = await startActivated();
    let notifications = 0;
    client.subscribe(() => notifications++);
    await client.stop();
    expect(platform.listensForWaking()).toBe(false);
    const sent = platform.http.requests.length;
    await platform.clock.advance(60 * minuteMs);
    expect(platform.http.requests).toHaveLength(sent);
    expect(notifications).toBe(0);
    expect(platform.clock.pendingTimers()).toBe(0);
  });

  it('many changes in one turn cause a single notification', async () => {
    const { client, platform } = await startActivated();
    await platform.clock.advance(10_000);
    let notifications = 0;
    client.subscribe(() => notifications++);
    for (const name of ['a', 'b', 'c']) client.recordHistoryExport(name);
    await platform.clock.advance(1);
    expect(notifications).toBe(1);
  });
});

it('a sign-in that could not be stored is named in the state, and stored by the first sync with free disk space', async () => {
  const test = await startTestClient();
  const { client, platform } = test;
  platform.secrets.setFailing(true);
  await client.signIn({ email: 'ada@lab.org', password: 'right' });
  await test.sync();
  expect(client.getState().session).toMatchObject({ kind: 'signed-in', isUnsaved: true });
  platform.secrets.setFailing(false);
  await test.sync();
  expect(client.getState().session).not.toHaveProperty('isUnsaved');
  const again = await test.restart();
  expect(again.client.getState().session.kind).toBe('signed-in');
});

describe('the time of the next sync', () => {
  it('is 1 to 3 s after waking', async () => {
    const test = await startSynced();
    test.platform.wake();
    expect(untilNextMs(test)).toBe(2000);
  });

  it('is a minute at most after the last one if the window comes to the front', async () => {
    const test = await startSynced();
    await test.platform.clock.advance(30_000);
    test.client.setForeground(true);
    expect(untilNextMs(test)).toBe(23_000);
  });

  it('is a second away if the window comes to the front after more than a minute', async () => {
    const test = await startSynced();
    await test.platform.clock.advance(2 * minuteMs);
    test.client.setForeground(true);
    expect(untilNextMs(test)).toBe(1000);
  });

  it.each([true, false])('does not change if the window stays as it is (in front: %s)', async (foreground) => {
    const test = await startSynced();
    test.client.setForeground(foreground);
    test.platform.http.cut(down);
    for (let failures = 0; failures < 6; failures++) await test.sync();
    const beforeMs = untilNextMs(test);
    expect(beforeMs).toBeGreaterThan(50_000);
    test.client.setForeground(foreground);
    expect(untilNextMs(test)).toBe(beforeMs);
  });

  it('is 15 s after a failure if the window comes to the front, but not before the server allows it', async () => {
    const test = await startSynced();
    test.platform.http.cut(down);
    for (let failures = 0; failures < 6; failures++) await test.sync();
    await test.platform.clock.advance(5000);
    test.client.setForeground(true);
    expect(untilNextMs(test)).toBe(9375);
    test.client.setForeground(false);
    test.platform.http.cut(waitReply(503, 'SERVICE_UNAVAILABLE', 40));
    await test.sync();
    await test.platform.clock.advance(5000);
    test.client.setForeground(true);
    expect(untilNextMs(test)).toBe(34_000);
  });

  it('after waking is not before the server allows it', async () => {
    const test = await startSynced();
    test.platform.http.cut(waitReply(503, 'SERVICE_UNAVAILABLE', 40));
    test.platform.wake();
    await test.platform.clock.advance(2000);
    expect(untilNextMs(test)).toBe(40_000);
  });

  it('after an activation is not before the server allows it', async () => {
    const test = await startSynced();
    const respond = test.platform.http.hold('POST /heartbeat');
    const done = test.client.syncNow();
    await settle();
    await test.client.activateLicense({ licenseKey });
    respond(waitReply(429, 'RATE_LIMITED', 40));
    await done;
    expect(untilNextMs(test)).toBe(40_000);
  });

  it('follows the longest wait that one of several calls was asked for, and a call that has to wait is no failure', async () => {
    const test = await startSynced();
    test.platform.http.on('POST /heartbeat', waitReply(429, 'RATE_LIMITED', 500));
    test.platform.http.on('POST /license/validate', waitReply(429, 'RATE_LIMITED', 400));
    await test.sync();
    expect(untilNextMs(test)).toBe(499_000);
    test.platform.http.on('POST /heartbeat', waitReply(429, 'RATE_LIMITED', 1));
    test.platform.http.on('POST /license/validate', waitReply(429, 'RATE_LIMITED', 1));
    await test.platform.clock.advance(499_000);
    expect(untilNextMs(test)).toBe(300_000);
  });

  it('is 15 s after the last one while a device that needs a lease has none', async () => {
    const test = await startSignedInForLeases({ pinned: true });
    test.platform.http.on('POST /license/lease', waitReply(429, 'RATE_LIMITED', 1));
    await test.client.activateLicense({ licenseKey });
    await test.platform.clock.advance(5000);
    const done = test.client.syncNow();
    await settle();
    await done;
    expect(untilNextMs(test)).toBe(15_000);
  });

  it('is the regular one while no lease of the server can be verified', async () => {
    const test = await startSignedInForLeases();
    // It signs with a key that it does not publish.
    test.platform.http.on('GET /.well-known/jwks.json', { json: test.signer.jwks });
    test.server.leases = new LeaseSigner('lease-1');
    await test.client.activateLicense({ licenseKey });
    await test.sync();
    expect(test.client.getState().lease).toMatchObject({ state: 'none', problem: 'wrong_signature' });
    expect(untilNextMs(test)).toBe(299_000);
  });

  it('is the regular one while the server signs with a key that is not built in, before and after a lease has ended', async () => {
    const test = await startSignedInForLeases({ pinned: true, ttlSeconds: 3600 });
    test.server.leases = new LeaseSigner('lease-2', 3600);
    await test.client.activateLicense({ licenseKey });
    await test.sync();
    expect(test.client.getState().lease).toMatchObject({ state: 'unusable', problem: 'unknown_key' });
    expect(untilNextMs(test)).toBe(299_000);
    test.server.leases = test.signer;
    await test.platform.clock.advance(300_000);
    expect(test.client.getState().lease.state).toBe('good');
    test.server.leases = new LeaseSigner('lease-2', 3600);
    await test.platform.clock.advance(2 * 3_600_000);
    expect(test.client.getState().lease.state).toBe('expired');
    const before = test.platform.http.to('/license/lease').length;
    await test.platform.clock.advance(3_600_000);
    expect(test.platform.http.to('/license/lease').length - before).toBe(12);
  });

  it('is scheduled once, also after signing in again', async () => {
    const { client, platform } = await startSignedIn();
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(10_000);
    const before = platform.http.to('/heartbeat').length;
    await platform.clock.advance(60 * minuteMs);
    expect(platform.http.to('/heartbeat').length - before).toBe(12);
  });
});

describe('a sync', () => {
  const paths = ({ platform }: TestClient) => platform.http.requests.map(({ url }) => url.split('/api/v1')[1]);
  const count = (test: TestClient, path: string) => paths(test).filter((each) => each === path).length;
  const extras = ['/license/activations', '/features', '/about'];

  it('on request loads devices, features and server information again, a scheduled one does not', async () => {
    const test = await startSynced();
    test.platform.http.on('GET /features', { json: { features: [] } });
    const about = { sign_up: 'open', password_min_length: 12, mail: false, leases: false, account_page: false };
    test.platform.http.on('GET /about', { json: about });
    await test.sync();
    const counts = () => extras.map((path) => count(test, path));
    const before = counts();
    await test.platform.clock.advance(6 * minuteMs);
    expect(counts()).toEqual(before);
    await test.sync();
    expect(counts()).toEqual(before.map((each) => each + 1));
  });

  it('does not ask a server again for a list of devices that it does not have', async () => {
    const test = await startSynced();
    test.server.lists = false;
    await test.sync();
    const before = count(test, '/license/activations');
    await test.sync();
    expect(count(test, '/license/activations')).toBe(before);
  });

  it('shows that it is running', async () => {
    const { client, platform } = await startSynced();
    const shown: boolean[] = [];
    client.subscribe(({ syncing }) => shown.push(syncing));
    const respond = platform.http.hold('POST /heartbeat');
    const done = client.syncNow();
    await platform.clock.advance(0);
    expect(client.getState().syncing).toBe(true);
    expect(shown).toEqual([true]);
    respond(beaten);
    await done;
    expect(client.getState().syncing).toBe(false);
  });

  it('needs somebody who is signed in', async () => {
    const { client, platform } = await startTestClient();
    expect(await client.syncNow()).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
    expect(platform.http.to('/heartbeat')).toHaveLength(0);
  });

  it('makes no more calls once one gets no response', async () => {
    const test = await startSynced();
    const counts = () => ['/subscription/status', ...extras].map((path) => count(test, path));
    const before = counts();
    test.platform.http.on('POST /license/validate', down);
    await test.sync();
    expect(counts()).toEqual(before);
    test.platform.http.on('POST /license/validate', errorReply(403, 'FORBIDDEN'));
    test.platform.http.on('GET /subscription/status', down);
    await test.sync();
    expect(counts().slice(1)).toEqual(before.slice(1));
  });

  it('of an earlier session does not delay the next one of the new session', async () => {
    const test = await startSynced();
    const { client, platform } = test;
    const respond = platform.http.hold('POST /heartbeat');
    const done = client.syncNow();
    await settle();
    platform.http.on('POST /heartbeat', beaten);
    await client.signOut({ allDevices: false });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await test.sync();
    respond(waitReply(503, 'SERVICE_UNAVAILABLE', 40));
    await done;
    client.setForeground(true);
    expect(untilNextMs(test)).toBe(53_000);
  });

  it('restores the trusted time from a license that could not be read at the start', async () => {
    const test = await startSynced();
    const startMs = test.platform.clock.now();
    test.platform.http.cut(down);
    await test.platform.clock.advance(8 * 24 * 60 * minuteMs);
    const name = licenseDocumentName(test.platform);
    const { client, platform, sync } = await test.restart(({ clock, secrets }) => {
      clock.reboot();
      clock.setWall(startMs);
      secrets.breakRead(name, true);
    });
    platform.secrets.breakRead(name, false);
    await sync();
    expect(client.getState().license.kind).toBe('offline-ended');
  });

  it('makes no calls for a user who has signed in meanwhile', async () => {
    const test = await startSynced();
    const { client, platform, server } = test;
    const respond = platform.http.hold('POST /heartbeat');
    const done = client.syncNow();
    await settle();
    server.user = { id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org', full_name: 'Bob' };
    await client.signIn({ email: 'bob@lab.org', password: 'right' });
    const before = paths(test).length;
    respond(beaten);
    await done;
    expect(paths(test)).toHaveLength(before);
  });

  it('that was requested stays complete if an activation ends before it begins', async () => {
    const test = await startSynced();
    const { client, platform } = test;
    const respond = platform.http.hold('POST /heartbeat');
    const first = client.syncNow();
    await settle();
    const second = client.syncNow();
    await client.activateLicense({ licenseKey });
    const before = count(test, '/subscription/status');
    platform.http.on('POST /heartbeat', beaten);
    respond(beaten);
    await platform.clock.advance(0);
    await Promise.all([first, second]);
    expect(count(test, '/subscription/status')).toBe(before + 2);
  });

  it('that the user asked for is in the activity, a scheduled one only if the license has changed', async () => {
    const test = await startSynced();
    const { client, platform, server } = test;
    const checks = () =>
      client
        .getState()
        .activity.flatMap(({ kind, detail }) => (kind.startsWith('license-') ? [`${kind} ${detail}`] : []));
    const before = checks().length;
    const newChecks = () => checks().slice(0, checks().length - before);
    await platform.clock.advance(6 * minuteMs);
    expect(newChecks()).toEqual([]);
    await test.sync();
    expect(newChecks()).toEqual(['license-checked valid']);
    server.activated = false;
    await platform.clock.advance(6 * minuteMs);
    expect(newChecks()[0]).toBe('license-checked not-activated');
    server.invalidCode = 'LICENSE_EXPIRED';
    await platform.clock.advance(12 * minuteMs);
    expect(newChecks()).toEqual([
      'license-rejected LICENSE_EXPIRED',
      'license-checked not-activated',
      'license-checked valid',
    ]);
  });
});
