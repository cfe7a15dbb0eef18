/** What of an account stays stored, shown and in use when accounts, leases, sessions and addresses change. */
import { describe, expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { errorReply, licenseKey } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, type TestClient, testApp } from './start-client.ts';
import { about, dayMs, type Leased, pin, startSignedIn as startAtLeases, startLeased } from './start-leased.ts';

const credentials = { email: 'ada@lab.org', password: 'right' };
const here = { allDevices: false };
const bob = { id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org', full_name: 'Bob' };
const unreachable = { fails: 'unreachable' } as const;
const elsewhere = 'https://moved.example';
const noLicense = { activated: false, license: null };
const entries = ({ client }: TestClient) => client.getState().activity.map(({ kind, detail }) => [kind, detail]);
const kinds = (test: TestClient) => entries(test).map(([kind]) => kind);

/** Lets the access token expire and the server end the session with this code. */
async function endSession({ platform }: TestClient, code: 'TOKEN_EXPIRED' | 'INVALID_TOKEN'): Promise<void> {
  platform.http.on('POST /auth/refresh', errorReply(401, code));
  await platform.clock.advance(2 * 3_600_000);
}

/** Starts with the keys of leases built in, and nobody signed in. */
async function startPinned(): Promise<Leased> {
  const signer = new LeaseSigner();
  const platform = createFakePlatform();
  platform.http.sendDate(platform.clock.now);
  return { ...(await startTestClient(platform, undefined, undefined, pin(signer))), signer };
}

/** A lease that was signed so many days ago; it lasts for 14. */
function leaseOf(test: Leased, daysAgo = 0, sub = test.server.user.id): string {
  return test.signer.sign(about(test, { sub }), test.platform.clock.now() - daysAgo * dayMs).lease;
}

/** Starts the app again on the same machine, whose store returns the license after `release`, and slowly again. */
async function startReading(test: TestClient, defaultServerAddress = 'http://127.0.0.1:8470') {
  await test.client.stop();
  const { secrets, plain, clock, http } = test.platform;
  const platform = createFakePlatform({ secretValues: secrets.values, plainValues: plain.values, clock, http });
  const { read } = platform.secrets;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let reads = 0;
  Object.assign(platform.secrets, {
    read: async (name: string) => {
      if (name.startsWith('license-')) await (reads++ === 0 ? released : released.then(settle));
      return read(name);
    },
  });
  const client = new LicensingClient({ platform, app: testApp, defaultServerAddress });
  const starting = client.start();
  await settle();
  return { client, platform, release, starting };
}

/** Collects what `read` returns at every step of the task. */
async function duringEachStep<T>(read: () => T, task: () => Promise<unknown>): Promise<Set<T>> {
  const seen = new Set<T>();
  let isDone = false;
  void task().then(() => (isDone = true));
  while (!isDone) {
    seen.add(read());
    await Promise.resolve();
  }
  return seen;
}

describe('the start', () => {
  it('tells the window that somebody is signed in', async () => {
    const { platform } = await (await startActivated()).restart();
    const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: 'http://127.0.0.1:8470' });
    const shown: unknown[] = [];
    client.subscribe(({ session }) => shown.push(session.kind));
    await client.start();
    await platform.clock.advance(0);
    expect(shown).toEqual(['signed-in']);
  });

  it('reads no license while nobody is signed in and no lease counts', async () => {
    const platform = createFakePlatform();
    const { read } = platform.secrets;
    const names: string[] = [];
    Object.assign(platform.secrets, {
      read: (name: string) => {
        names.push(name);
        return read(name);
      },
    });
    await startTestClient(platform);
    expect(names).toContain('session');
    expect(names.filter((name) => /^license/.test(name))).toEqual([]);
  });

  it('shows nothing of an account whose lease this app no longer trusts while nobody is signed in', async () => {
    const test = await startLeased({ pinned: true });
    await test.sync();
    await endSession(test, 'TOKEN_EXPIRED');
    expect((await test.restart()).client.getState().thisDevice).toMatchObject({ activated: true });
    const { client, on } = await test.restart(undefined, undefined, pin(new LeaseSigner('lease-2')));
    expect(client.getState()).toMatchObject({ thisDevice: noLicense, activity: [] });
    expect(on()).toEqual([]);
  });
});

describe('an import of a lease', () => {
  it('of the account that is signed in keeps its activity, and its sign-out is recorded', async () => {
    const test = await startPinned();
    await test.client.signIn(credentials);
    expect(await test.client.importLease({ text: leaseOf(test) })).toMatchObject({ ok: true });
    expect(kinds(test)).toEqual(['lease-imported', 'signed-in']);
    await test.client.signOut(here);
    expect(kinds(test)).toEqual(['signed-out', 'lease-imported', 'signed-in']);
  });

  it('counts at once when its account signs in at the same server', async () => {
    const test = await startPinned();
    await test.client.importLease({ text: leaseOf(test) });
    expect(await test.client.signIn(credentials)).toMatchObject({ ok: true });
    expect(test.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, lease: { state: 'good' } });
  });

  it('before any server was chosen is stored without an address', async () => {
    const signer = new LeaseSigner();
    const test = { ...(await startTestClient(undefined, undefined, null, pin(signer))), signer };
    await test.client.importLease({ text: leaseOf(test) });
    const stored = test.platform.secrets.values.get('lease-account') ?? '';
    expect(JSON.parse(stored)).toMatchObject({ serverAddress: '', accountId: test.server.user.id });
  });

  it('that is refused leaves nothing of its account open if nobody is signed in', async () => {
    const test = await startLeased({ pinned: true });
    await test.client.signOut(here);
    expect(await test.client.importLease({ text: leaseOf(test, 30) })).toMatchObject({
      failure: { problem: 'expired' },
    });
    expect(test.client.getState().thisDevice).toMatchObject(noLicense);
  });

  it('that is refused leaves what the same account could not store', async () => {
    const test = await startAtLeases({ pinned: true });
    test.platform.secrets.setFailing(true);
    await test.client.activateLicense({ licenseKey });
    expect(await test.client.importLease({ text: leaseOf(test, 30) })).toMatchObject({ ok: false });
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true });
  });

  it('that is refused leaves the activity of the last user as it was', async () => {
    const test = await startPinned();
    await test.client.signIn(credentials);
    await test.client.signOut(here);
    expect(await test.client.importLease({ text: leaseOf(test, 30, bob.id) })).toMatchObject({ ok: false });
    await test.client.signIn(credentials);
    expect(kinds(test)).toEqual(['signed-in', 'signed-out', 'signed-in']);
  });

  it('that is refused does not answer the request for one', async () => {
    const test = await startPinned();
    await test.client.signIn(credentials);
    await test.client.signOut(here);
    await test.client.requestLease({ licenseKey });
    expect(await test.client.importLease({ text: leaseOf(test, 30, bob.id) })).toMatchObject({ ok: false });
    expect(await test.client.importLease({ text: leaseOf(test) })).toMatchObject({ ok: true });
    expect(await test.client.requestLease()).toMatchObject({ ok: true });
  });
});

describe('a sign-in', () => {
  it('of the account whose lease counts turns nothing off while the session is being stored', async () => {
    const test = await startLeased();
    await endSession(test, 'TOKEN_EXPIRED');
    const { write } = test.platform.secrets;
    const disk = Promise.withResolvers<void>();
    Object.assign(test.platform.secrets, { write: (...of: [string, string]) => disk.promise.then(() => write(...of)) });
    const signingIn = test.client.signIn(credentials);
    await settle();
    expect(test.client.getState().session.kind).toBe('signed-in');
    expect(test.on()).toHaveLength(6);
    disk.resolve();
    expect(await signingIn).toMatchObject({ ok: true });
  });

  it('shows nothing of the account whose lease counted, while the session is being stored', async () => {
    const test = await startLeased();
    await endSession(test, 'TOKEN_EXPIRED');
    test.server.user = bob;
    const shown = await duringEachStep(
      () => {
        const { session, thisDevice } = test.client.getState();
        return session.kind === 'signed-in' && thisDevice?.activated;
      },
      () => test.client.signIn({ ...credentials, email: bob.email }),
    );
    expect([...shown]).not.toContain(true);
  });

  it('after a sign-out adds no second one to the activity', async () => {
    const test = await startSignedIn();
    await test.client.signOut(here);
    await test.client.signIn(credentials);
    expect(kinds(test).filter((kind) => kind === 'signed-out')).toHaveLength(1);
  });

  it('of another account ends the earlier session at the server even if the new one cannot be stored', async () => {
    const test = await startSignedIn();
    const { refreshToken } = test.server;
    test.platform.secrets.setFailing(true);
    test.server.user = bob;
    await test.client.signIn({ ...credentials, email: bob.email });
    await settle();
    const [logout] = test.platform.http.to('/auth/logout');
    expect(JSON.parse(logout?.body ?? '{}')).toEqual({ refresh_token: refreshToken });
  });
});

describe('a sign-out', () => {
  it('shows nothing of the account’s device any more', async () => {
    const test = await startActivated();
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true });
    await test.client.signOut(here);
    expect(test.client.getState().thisDevice).toMatchObject(noLicense);
  });

  it('of nobody is not in the activity', async () => {
    const test = await startTestClient();
    await test.client.signOut(here);
    expect(entries(test)).toEqual([]);
  });

  it('that the store prevents does not wait for the server', async () => {
    const test = await startSignedIn();
    test.platform.http.hold('POST /auth/logout');
    test.platform.secrets.setFailing(true);
    let result: unknown = 'waits';
    void test.client.signOut(here).then((done) => (result = done));
    await settle();
    expect(result).toMatchObject({ failure: { code: 'STORE_UNAVAILABLE' } });
  });

  it('on all devices of nobody sends nothing, and says so', async () => {
    const test = await startTestClient();
    expect(await test.client.signOut({ allDevices: true })).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
    expect(test.platform.http.to('/auth/logout')).toEqual([]);
  });

  it('on all devices succeeds once the server has ended them', async () => {
    const test = await startSignedIn();
    expect(await test.client.signOut({ allDevices: true })).toEqual({ ok: true, value: null });
  });
});

describe('the deletion of an account', () => {
  it('succeeds if the session is ended by a sign-out meanwhile', async () => {
    const test = await startSignedIn();
    test.platform.http.on('POST /auth/account/delete', { json: { success: true } });
    const respond = test.platform.http.hold('POST /auth/logout');
    const leaving = test.client.signOut({ allDevices: true });
    const deleting = test.client.deleteAccount({ password: 'right', language: 'en' });
    await settle();
    respond({ json: { success: true } });
    expect(await Promise.all([leaving, deleting])).toEqual([
      { ok: true, value: null },
      { ok: true, value: null },
    ]);
  });

  it('is refused while nobody is signed in', async () => {
    const { client } = await startTestClient();
    const deleted = await client.deleteAccount({ password: 'right', language: 'en' });
    expect(deleted).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
  });
});

describe('the end of a session by the server', () => {
  it.each(['TOKEN_EXPIRED', 'INVALID_TOKEN'] as const)(
    'with %s shows nothing of the account’s device any more if no lease counts',
    async (code) => {
      const test = await startActivated();
      await endSession(test, code);
      expect(test.client.getState()).toMatchObject({ session: { kind: 'signed-out' }, thisDevice: noLicense });
    },
  );
});

describe('a session that the server ends', () => {
  /** Makes the server end the session as soon as it is used. */
  async function use(client: LicensingClient, { http }: TestClient['platform']): Promise<void> {
    http.on('GET /license/activations', errorReply(401, 'TOKEN_EXPIRED'));
    http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    await client.listDevices();
    expect(client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'session-revoked' });
  }

  it('during its sign-in makes that fail, and leaves nothing of its account open and no sync', async () => {
    const test = await startPinned();
    await test.client.signIn(credentials);
    await endSession(test, 'TOKEN_EXPIRED');
    const { remove } = test.platform.secrets;
    const disk = Promise.withResolvers<void>();
    Object.assign(test.platform.secrets, {
      remove: (name: string) => (name === 'ended-session' ? disk.promise.then(() => remove(name)) : remove(name)),
    });
    const signingIn = test.client.signIn(credentials);
    await settle();
    await use(test.client, test.platform);
    disk.resolve();
    expect(await signingIn).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
    expect(test.client.getState()).toMatchObject({ session: { kind: 'signed-out' }, heartbeat: { nextAt: null } });
    expect(kinds(test)[0]).toBe('session-ended');
    expect(await test.client.importLease({ text: leaseOf(test) })).toMatchObject({ ok: true });
  });

  it('while the license is still being read at the start leaves no sync', async () => {
    const { client, platform, release, starting } = await startReading(await startActivated());
    await use(client, platform);
    release();
    await starting;
    expect(client.getState()).toMatchObject({ session: { kind: 'signed-out' }, heartbeat: { nextAt: null } });
  });
});

describe('a change of server', () => {
  it('forgets what the previous one said about the time, as far as no lease needs it', async () => {
    const test = await startSignedIn();
    test.platform.http.sendDate(() => test.platform.clock.now() + 3_600_000);
    await test.sync();
    expect(test.client.getState().clock).toBe('behind');
    test.platform.http.cut(unreachable);
    await test.client.setServerAddress({ address: elsewhere });
    expect(test.client.getState()).toMatchObject({ clock: 'in-sync', clockAheadMs: 0 });
  });

  it('does not forget the time of a lease of a built-in key, which cannot be imported again after its end', async () => {
    const test = await startPinned();
    const importedAtMs = test.platform.clock.now();
    const text = leaseOf(test);
    expect(await test.client.importLease({ text })).toMatchObject({ ok: true });
    await test.platform.clock.advance(14 * dayMs);
    await test.client.signOut(here);
    test.platform.clock.setWall(importedAtMs);
    await test.client.setServerAddress({ address: elsewhere });
    expect(await test.client.importLease({ text })).toMatchObject({ failure: { problem: 'expired' } });
  });

  it('keeps saying that the stored session cannot be read', async () => {
    const { client } = await (await startSignedIn()).restart(({ secrets }) => secrets.breakRead('session', true));
    const unreadable = { kind: 'signed-out', reason: 'store-unreadable' };
    expect(client.getState().session).toEqual(unreadable);
    await client.setServerAddress({ address: elsewhere });
    expect(client.getState().session).toEqual(unreadable);
    expect(await client.signOut(here)).toMatchObject({ failure: { code: 'STORE_UNAVAILABLE' } });
  });
});

describe('a server whose address has changed with a version of the app', () => {
  /** Restarts the app with the new address, and lets the server answer there. */
  async function move(test: TestClient): Promise<TestClient> {
    const moved = await test.restart(undefined, elsewhere);
    expect(await moved.sync()).toMatchObject({ ok: true });
    return moved;
  }

  it('has the license of its account at the next sign-in there', async () => {
    const test = await move(await startActivated());
    await test.client.signOut(here);
    await test.client.signIn(credentials);
    expect(test.client.getState().thisDevice).toMatchObject({ activated: true });
  });

  it('has the keys of its leases, which count without it after a restart', async () => {
    const test = await move(await startLeased());
    test.platform.http.cut(unreachable);
    expect((await test.restart()).on()).toHaveLength(6);
  });

  it('has the account whose lease counts once its session has expired', async () => {
    const test = await move(await startLeased());
    await endSession(test, 'TOKEN_EXPIRED');
    expect(test.client.getState().session).toMatchObject({ reason: 'session-expired' });
    expect((await test.restart()).on()).toHaveLength(6);
  });

  it('leaves the imported lease of another account in use once nobody is signed in', async () => {
    const first = await startPinned();
    await first.client.importLease({ text: leaseOf(first, 0, bob.id) });
    await first.client.signIn(credentials);
    await first.platform.clock.advance(10);
    const test = await move(first);
    await test.client.signOut(here);
    const restarted = await test.restart();
    expect(restarted.client.getState().session.kind).toBe('signed-out');
    expect(restarted.on()).toHaveLength(6);
  });

  it('turns nothing off for a moment while it moves', async () => {
    const first = await startLeased();
    await first.sync();
    const test = await first.restart(undefined, elsewhere);
    const on = await duringEachStep(
      () => test.on().length,
      () => test.client.syncNow(),
    );
    expect([...on]).toEqual([6]);
  });

  it('that answers there while the license is still being read has its lease and its activity', async () => {
    const first = await startLeased();
    await first.sync();
    const { client, platform, release, starting } = await startReading(first, elsewhere);
    await client.listDevices();
    platform.http.cut(unreachable);
    release();
    await starting;
    await settle();
    expect(client.getState().lease.state).toBe('good');
    expect(client.feature('csv_export')).toMatchObject({ ok: true });
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('device-activated');
  });

  it('that answers there during a sign-out leaves nobody signed in', async () => {
    const test = await (await startLeased()).restart(undefined, elsewhere);
    const respond = test.platform.http.hold('POST /auth/logout');
    const leaving = test.client.signOut({ allDevices: true });
    await settle();
    expect(await test.sync()).toMatchObject({ ok: true });
    respond({ json: { success: true } });
    expect(await leaving).toMatchObject({ ok: true });
    await settle();
    expect(test.client.getState()).toMatchObject({
      session: { kind: 'signed-out', reason: null },
      thisDevice: noLicense,
    });
    expect((await test.restart()).client.getState().session.kind).toBe('signed-out');
  });

  it('that does not know the session shows nothing of its account, and the old address still has the session', async () => {
    const first = await startActivated();
    const test = await first.restart(
      ({ http }) => http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN')),
      elsewhere,
    );
    await test.client.syncNow();
    expect(test.client.getState()).toMatchObject({
      session: { kind: 'signed-out', reason: 'server-changed' },
      thisDevice: noLicense,
    });
    const back = await test.restart(undefined, 'http://127.0.0.1:8470');
    expect(back.client.getState().session).toMatchObject({ kind: 'signed-in', user: { email: 'ada@lab.org' } });
  });
});
