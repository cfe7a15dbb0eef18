/** What a sign-in, a sign-out, the end of a session and a change of server send, show and leave here. */
import { describe, expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { createFakePlatform, settle } from '../fake-platform.ts';
import { errorReply, licenseKey } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, type TestClient, testApp } from './start-client.ts';
import { startLeased } from './start-leased.ts';

const credentials = { email: 'ada@lab.org', password: 'right' };
const bob = { id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org', full_name: 'Bob' };
const other = 'https://other.example';
const bodies = ({ platform }: TestClient, path: string) =>
  platform.http.to(path).map(({ body }) => JSON.parse(body ?? '{}'));
const entries = ({ client }: TestClient) => client.getState().activity.map(({ kind, detail }) => [kind, detail]);

describe('before the start', () => {
  it('nobody knows whether somebody is signed in', () => {
    const platform = createFakePlatform();
    const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: null });
    expect(client.getState().session).toEqual({ kind: 'starting' });
  });

  it('a stored address that is not allowed is no reason to be signed out if there is no other', async () => {
    const stored = { version: 1, serverAddress: 'http://example.org', settings: {} };
    const platform = createFakePlatform({ plainValues: new Map([['preferences', JSON.stringify(stored)]]) });
    const { client } = await startTestClient(platform, undefined, null);
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: null });
  });

  it('the first sync is planned 0.2 to 2 s after it, and nothing is in the activity', async () => {
    const first = await startTestClient();
    expect(entries(first)).toEqual([]);
    const { client, platform } = await (await startActivated()).restart();
    expect(Date.parse(client.getState().heartbeat.nextAt ?? '') - platform.clock.now()).toBe(1100);
  });
});

describe('a sign-in', () => {
  it('sends the email and the name without the spaces around them, and the password as it is', async () => {
    const test = await startTestClient();
    await test.client.signUp({ email: ' bob@lab.org ', password: ' good enough ', fullName: ' Bob ' });
    expect(bodies(test, '/auth/signup')).toEqual([
      { email: 'bob@lab.org', password: ' good enough ', full_name: 'Bob' },
    ]);
    await test.client.signIn({ email: ' ada@lab.org ', password: ' right ' });
    expect(bodies(test, '/auth/login')).toEqual([{ email: 'ada@lab.org', password: ' right ' }]);
  });

  it('is recorded with the email, and the same user finds the activity as it was', async () => {
    const test = await startSignedIn();
    expect(entries(test).at(-1)).toEqual(['signed-in', 'ada@lab.org']);
    const before = entries(test);
    await test.client.signOut({ allDevices: false });
    expect(entries(test)[0]).toEqual(['signed-out', null]);
    await test.client.signIn(credentials);
    expect(entries(test)).toEqual([['signed-in', 'ada@lab.org'], ['signed-out', null], ...before]);
    expect(entries(test).map(([kind]) => kind)).not.toContain('license-unreadable');
  });

  it('over another session shows nothing of that account', async () => {
    const test = await startActivated();
    await test.client.listDevices();
    test.server.user = bob;
    test.server.lists = false;
    await test.client.signIn({ ...credentials, email: bob.email });
    expect(test.client.getState()).toMatchObject({
      session: { user: { email: bob.email } },
      devices: { value: null },
      thisDevice: { activated: false, license: null },
    });
    expect(entries(test)).toEqual([['signed-in', bob.email]]);
  });

  it('writes no settings, unless a reminder was postponed', async () => {
    const test = await startTestClient();
    await test.client.signIn(credentials);
    expect(test.platform.plain.writes.filter(({ name }) => name === 'preferences')).toEqual([]);
  });

  it('loads the keys of leases only if none are known', async () => {
    const test = await startLeased();
    const asked = () => test.platform.http.to('/.well-known/jwks.json').length;
    const before = asked();
    expect(before).toBeGreaterThan(0);
    await test.client.signIn(credentials);
    await settle();
    expect(asked()).toBe(before);
  });

  it('that waits while the server is changed is not sent', async () => {
    const test = await startSignedIn();
    const respond = test.platform.http.hold('POST /auth/logout');
    const leaving = test.client.signOut({ allDevices: true });
    const changing = test.client.setServerAddress({ address: other });
    const signingIn = test.client.signIn(credentials);
    const before = bodies(test, '/auth/login').length;
    respond({ json: { success: true } });
    await Promise.all([leaving, changing]);
    expect(await signingIn).toMatchObject({ failure: { code: 'CANCELED', message: 'The sign-in was canceled.' } });
    expect(bodies(test, '/auth/login')).toHaveLength(before);
  });
});

describe('a sign-out', () => {
  it('fails, and leaves no rejection unhandled, if the session cannot be removed while the lease still is', async () => {
    const { client, platform } = await startLeased();
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const { write } = platform.secrets;
    const { promise: writable, resolve: allow } = Promise.withResolvers<void>();
    const refuse = () => Promise.reject(new Error('ENOSPC'));
    const changed = {
      remove: refuse,
      write: (name: string, value: string) => (name === 'session' ? refuse() : writable.then(() => write(name, value))),
    };
    Object.assign(platform.secrets, changed);
    const done = client.signOut({ allDevices: false });
    await settle();
    allow();
    expect(await done).toMatchObject({ ok: false, failure: { code: 'STORE_UNAVAILABLE' } });
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('waits for the server, ends only this session there, and leaves no timer', async () => {
    const test = await startSignedIn();
    const respond = test.platform.http.hold('POST /auth/logout');
    let isDone = false;
    const done = test.client.signOut({ allDevices: false }).then((result) => {
      isDone = true;
      return result;
    });
    await settle();
    expect([isDone, test.client.getState().session.kind]).toEqual([false, 'signed-out']);
    respond({ json: { success: true } });
    expect(await done).toEqual({ ok: true, value: null });
    expect(bodies(test, '/auth/logout')).toEqual([{ refresh_token: expect.stringMatching(/^v1\.refresh-/) }]);
    await test.platform.clock.advance(0);
    expect(test.platform.clock.pendingTimers()).toBe(0);
  });

  it('of nobody sends nothing', async () => {
    const test = await startTestClient();
    expect(await test.client.signOut({ allDevices: false })).toEqual({ ok: true, value: null });
    expect(bodies(test, '/auth/logout')).toEqual([]);
  });

  it('on all devices is said to be one, and fails with what the server says', async () => {
    const test = await startSignedIn();
    test.platform.http.on('POST /auth/logout', errorReply(403, 'FORBIDDEN'));
    expect(await test.client.signOut({ allDevices: true })).toMatchObject({ failure: { code: 'FORBIDDEN' } });
    expect(bodies(test, '/auth/logout')).toMatchObject([{ all_devices: true }]);
  });

  it('while offline plans no more attempts, and the window is told', async () => {
    const test = await startActivated();
    test.platform.http.cut({ fails: 'unreachable' });
    await test.sync();
    expect(test.client.getState().server.reachability).toMatchObject({ nextTryAt: expect.any(String) });
    const shown: unknown[] = [];
    test.client.subscribe(({ session }) => shown.push(session.kind));
    const done = test.client.signOut({ allDevices: false });
    await test.platform.clock.advance(5000);
    await done;
    expect(test.client.getState().server.reachability).toMatchObject({ nextTryAt: null });
    expect(shown.at(-1)).toBe('signed-out');
  });

  it('that the store prevents says so', async () => {
    const test = await startSignedIn();
    test.platform.secrets.setFailing(true);
    expect(await test.client.signOut({ allDevices: false })).toMatchObject({
      failure: { code: 'STORE_UNAVAILABLE', message: 'The stored session could not be removed.' },
    });
  });
});

describe('the end of a session', () => {
  it('is recorded with its reason and shown with the email', async () => {
    const test = await startSignedIn();
    test.server.accessTokens.clear();
    test.platform.http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    await test.sync();
    const { session } = test.client.getState();
    expect(session).toMatchObject({ kind: 'signed-out', email: 'ada@lab.org' });
    expect(entries(test)[0]).toEqual(['session-ended', 'reason' in session ? session.reason : undefined]);
    expect(test.client.getState().thisDevice?.license).toBeNull();
  });

  it('that cannot be removed from the store is logged', async () => {
    const test = await startSignedIn();
    test.server.accessTokens.clear();
    test.platform.http.on('POST /auth/refresh', () => {
      test.platform.secrets.setFailing(true);
      return errorReply(401, 'INVALID_TOKEN');
    });
    await test.sync();
    await settle();
    expect(test.platform.logged).toContain('the ended session could not be removed {}');
  });
});

describe('a change of server', () => {
  it('ends only this session at the previous one', async () => {
    const test = await startSignedIn();
    expect(await test.client.setServerAddress({ address: other })).toEqual({ ok: true, value: null });
    const [logout] = test.platform.http.to('/auth/logout');
    expect(logout?.url).toMatch(/^http:\/\/127\.0\.0\.1:8470\//);
    expect(bodies(test, '/auth/logout')).toEqual([{ refresh_token: expect.any(String) }]);
  });

  it('forgets whether the previous one could be reached, what it lacks, and how long it asked to wait', async () => {
    const test = await startLeased();
    expect(test.client.getState().server).toMatchObject({ leases: 'available', reachability: { kind: 'online' } });
    test.platform.http.on('GET /license/activations', {
      status: 429,
      headers: { 'retry-after': '600' },
      json: { error: 'Wait.', code: 'RATE_LIMITED' },
    });
    await test.client.listDevices();
    test.platform.http.on('GET /about', { fails: 'unreachable' });
    await test.client.setServerAddress({ address: other });
    expect(test.client.getState().server).toMatchObject({
      leases: 'unknown',
      lastAnswerAt: null,
      reachability: { kind: 'unknown' },
    });
    test.platform.http.on('GET /license/activations', { json: { activations: [] } });
    await test.client.signIn(credentials);
    expect(await test.client.listDevices()).toEqual({ ok: true, value: null });
  });

  it('to an address that is not allowed says what is', async () => {
    const test = await startSignedIn();
    expect(await test.client.setServerAddress({ address: 'http://example.org' })).toMatchObject({
      failure: {
        code: 'SERVER_ADDRESS_INVALID',
        message:
          'The address is not allowed: it must be an https address, or http for a server on this computer (localhost or 127.0.0.1).',
      },
    });
    expect(test.client.getState().session.kind).toBe('signed-in');
  });
});

describe('the choice of where secrets are stored', () => {
  it.each([true, false])('stores the session and the license if it is to keep them: %s', async (keep) => {
    const test = await startActivated();
    await test.platform.clock.advance(0);
    const { writes } = test.platform.secrets;
    const before = writes.length;
    const shown: unknown[] = [];
    test.client.subscribe(({ secretStorage }) => shown.push(secretStorage));
    expect(await test.client.chooseSecretStorage({ keep })).toEqual({ ok: true, value: null });
    const written = writes.slice(before).map(({ name }) => name.replace(/-[0-9a-f]+$/, ''));
    expect(written.toSorted()).toEqual(keep ? ['license', 'session'] : []);
    await test.platform.clock.advance(0);
    expect(shown).toHaveLength(1);
  });

  it('that fails says so', async () => {
    const test = await startTestClient();
    Object.assign(test.platform.secrets, { choose: () => Promise.reject(new Error('no')) });
    expect(await test.client.chooseSecretStorage({ keep: true })).toMatchObject({
      failure: { code: 'STORE_UNAVAILABLE', message: 'The storage of secrets could not be changed.' },
    });
  });
});

it('an activation is possible right after a sign-in at a server that was chosen anew', async () => {
  const test = await startTestClient(undefined, undefined, null);
  await test.client.setServerAddress({ address: other });
  await test.client.signIn(credentials);
  expect(await test.client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
});
