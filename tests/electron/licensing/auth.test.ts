/** Sign-up, sign-out, a change of account or server, and where secrets are stored. */
import { describe, expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { type FakePlatform, type Reply, settle } from '../fake-platform.ts';
import { errorReply, licenseKey, missing } from './scripted-server.ts';
import { startActivated, startSignedIn, startTestClient, testApp } from './start-client.ts';

describe('sign-up', () => {
  it('signs in immediately', async () => {
    const { client } = await startTestClient();
    expect(await client.signUp({ email: ' new@lab.org ', password: 'a long password', fullName: 'New' })).toMatchObject(
      { ok: true },
    );
    expect(client.getState().session).toMatchObject({ kind: 'signed-in', user: { email: 'new@lab.org' } });
  });

  it('fails with the code and the message of the server', async () => {
    const { client } = await startTestClient();
    const done = await client.signUp({ email: 'ada@lab.org', password: 'a long password', fullName: '' });
    expect(done).toMatchObject({
      ok: false,
      failure: { code: 'EMAIL_EXISTS', message: 'The server says EMAIL_EXISTS.' },
    });
  });
});

it.each([
  ['sign-in', '/auth/login', (client: LicensingClient) => client.signIn({ email: 'ada@lab.org', password: 'right' })],
  [
    'sign-up',
    '/auth/signup',
    (client: LicensingClient) => client.signUp({ email: 'new@lab.org', password: 'a long password', fullName: '' }),
  ],
])(
  'a %s whose response was lost is left to the user, who may find the account or the attempt counted',
  async (_, path, send) => {
    const { client, platform } = await startTestClient();
    platform.http.cut({ fails: 'unreachable' });
    const sending = send(client);
    await platform.clock.advance(3000);
    expect(await sending).toMatchObject({ ok: false, failure: { code: 'SERVER_UNREACHABLE' } });
    expect(platform.http.to(path)).toHaveLength(1);
  },
);

describe('a sign-in that waits for a slow server', () => {
  const user = { email: 'ada@lab.org', password: 'right' };

  const ways = [
    ['sign-in', 'login', (client: LicensingClient) => client.signIn(user)],
    ['sign-up', 'signup', (client: LicensingClient) => client.signUp({ ...user, fullName: 'Ada' })],
  ] as const;

  it.each(ways)(
    'a canceled %s ends at once, and a late answer signs nobody in and its session is ended',
    async (_, path, send) => {
      const { client, platform } = await startTestClient();
      const answer = platform.http.hold(`POST /auth/${path}`);
      const sending = send(client);
      await settle();
      await client.cancelSignIn();
      expect(await sending).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
      answer({ json: lateTokens });
      await settle();
      expect(client.getState().session.kind).toBe('signed-out');
      expect(platform.http.to('/auth/logout')[0]?.body).toBe('{"refresh_token":"late-refresh"}');
      expect(textOf(platform)).not.toContain('late-refresh');
    },
  );

  it('can be tried again at once after it was canceled', async () => {
    const { client, platform } = await startTestClient();
    platform.http.hold('POST /auth/login');
    void client.signIn(user);
    await settle();
    await client.cancelSignIn();
    platform.http.on('POST /auth/login', { json: lateTokens });
    expect(await client.signIn(user)).toMatchObject({ ok: true });
  });

  it('has nothing to end at the server if that refuses it after it was canceled', async () => {
    const { client, platform } = await startTestClient();
    const answer = platform.http.hold('POST /auth/login');
    void client.signIn(user);
    await settle();
    await client.cancelSignIn();
    answer(errorReply(401, 'INVALID_CREDENTIALS'));
    await settle();
    expect(platform.http.to('/auth/logout')).toEqual([]);
  });

  it.each(ways)(
    'a %s is canceled by the choice of another server, and its session is ended at the server that opened it',
    async (_, path, send) => {
      const { client, platform } = await startTestClient();
      const answer = platform.http.hold(`POST /auth/${path}`);
      const sending = send(client);
      await settle();
      expect(await client.setServerAddress({ address: 'https://other.example' })).toMatchObject({ ok: true });
      expect(await sending).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
      answer({ json: lateTokens });
      await settle();
      expect(client.getState().session.kind).toBe('signed-out');
      expect(platform.http.to('/auth/logout')[0]).toMatchObject({
        url: 'http://127.0.0.1:8470/api/v1/auth/logout',
        body: '{"refresh_token":"late-refresh"}',
      });
    },
  );
});

const lateTokens = {
  access_token: 'late-access',
  refresh_token: 'late-refresh',
  expires_at: '2027-01-01T00:00:00.000Z',
  user: { id: '01890000-0000-7000-8000-00000000000a', email: 'ada@lab.org', full_name: 'Ada' },
};

/** Everything that is stored on the device, as one text. */
function textOf(platform: Awaited<ReturnType<typeof startActivated>>['platform']): string {
  return [...platform.secrets.values.values()].join();
}

describe('sign-out', () => {
  it('leaves the device activated, so that the same account has its license again', async () => {
    const { client, platform, on } = await startActivated();
    await client.signOut({ allDevices: false });
    expect(on()).toHaveLength(0);
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(10);
    expect(on()).toHaveLength(6);
    expect(client.getState().thisDevice).toMatchObject({ activated: true });
  });

  it('notifies the server and removes the stored session', async () => {
    const { client, platform } = await startActivated();
    expect(await client.signOut({ allDevices: false })).toEqual({ ok: true, value: null });
    expect(platform.http.to('/auth/logout')[0]?.body).toBe('{"refresh_token":"v1.refresh-1"}');
    expect(textOf(platform)).not.toContain('v1.refresh');
    expect(client.getState()).toMatchObject({
      session: { kind: 'signed-out', reason: null },
      apiKey: null,
      devices: { value: null },
    });
  });

  it.each([
    ['cannot be reached', { fails: 'timeout' } as const],
    ['lacks the extension', missing],
  ])('works if the server %s', async (_, reply) => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /auth/logout', reply);
    expect(await client.signOut({ allDevices: false })).toMatchObject({ ok: true });
    expect(textOf(platform)).not.toContain('v1.refresh');
  });

  it('does not wait long for a server that does not respond', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /auth/logout', () => new Promise(() => {}));
    const done = client.signOut({ allDevices: false });
    await platform.clock.advance(3000);
    expect(await done).toMatchObject({ ok: true });
  });

  it('on all devices fails if the server did not do it, but still ends the session here', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('POST /auth/logout', missing);
    const done = await client.signOut({ allDevices: true });
    expect(done).toMatchObject({ ok: false, failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(platform.http.to('/auth/logout')[0]?.body).toContain('"all_devices":true');
    expect(client.getState().session.kind).toBe('signed-out');
    expect(textOf(platform)).not.toContain('v1.refresh');
  });

  it('on all devices fails if the session ends meanwhile, since the server has not ended the others', async () => {
    const { client, platform, server } = await startActivated();
    server.accessTokens.clear();
    let answer = (_: Reply) => {};
    platform.http.on('POST /auth/refresh', () => new Promise((resolve) => (answer = resolve)));
    const sync = client.syncNow();
    await settle();
    const done = client.signOut({ allDevices: true });
    await settle();
    answer(errorReply(401, 'TOKEN_EXPIRED'));
    expect(await done).toMatchObject({ ok: false, failure: { code: 'NOT_SIGNED_IN' } });
    expect(await client.signOut({ allDevices: true })).toMatchObject({ ok: false, failure: { code: 'NOT_SIGNED_IN' } });
    expect(client.getState().session.kind).toBe('signed-out');
    await sync;
  });

  it('before the client has started ends the stored session, at the server too', async () => {
    const testClient = await startActivated();
    await testClient.client.stop();
    const { platform } = testClient;
    const client = new LicensingClient({ platform, app: testApp, defaultServerAddress: 'http://127.0.0.1:8470' });
    void client.start();
    expect(await client.signOut({ allDevices: false })).toMatchObject({ ok: true });
    expect(textOf(platform)).not.toContain('v1.refresh');
    expect(platform.http.to('/auth/logout')).toHaveLength(1);
  });

  it('fails if the session cannot be removed from the store', async () => {
    const { client, platform } = await startActivated();
    platform.secrets.setFailing(true);
    expect(await client.signOut({ allDevices: false })).toMatchObject({
      ok: false,
      failure: { code: 'STORE_UNAVAILABLE' },
    });
    expect(client.getState().session.kind).toBe('signed-out');
  });

  it('stops the sync', async () => {
    const { client, platform } = await startActivated();
    await client.signOut({ allDevices: false });
    const sent = platform.http.requests.length;
    await platform.clock.advance(3_600_000);
    expect(platform.http.requests).toHaveLength(sent);
    expect(client.getState().heartbeat.nextAt).toBeNull();
  });
});

describe('the end of a session by the server', () => {
  it('keeps the license for the next sign-in of the same account', async () => {
    const { client, platform, server, on } = await startActivated();
    server.refreshToken = 'v1.another';
    server.accessTokens.clear();
    await client.syncNow();
    expect(client.getState().session).toMatchObject({ kind: 'signed-out', reason: 'session-revoked' });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await platform.clock.advance(10);
    expect(on()).toHaveLength(6);
  });

  const ended = { kind: 'signed-out', reason: 'session-revoked', email: 'ada@lab.org' };

  async function startEnded(prepare: (platform: FakePlatform) => void = () => {}) {
    const testClient = await startActivated();
    prepare(testClient.platform);
    testClient.server.refreshToken = 'v1.another';
    testClient.server.accessTokens.clear();
    await testClient.client.syncNow();
    return testClient;
  }

  it('is remembered with the email of the user across restarts, until somebody signs in', async () => {
    const testClient = await startEnded();
    expect(testClient.client.getState().session).toEqual(ended);
    const restarted = await testClient.restart();
    expect(restarted.client.getState().session).toEqual(ended);
    await restarted.client.signIn({ email: 'ada@lab.org', password: 'right' });
    await restarted.client.signOut({ allDevices: false });
    expect(restarted.client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    expect(textOf(restarted.platform)).not.toContain('session-revoked');
  });

  it('is not remembered for another server, nor once the user signs out instead', async () => {
    const elsewhere = await (await startEnded()).restart(() => {}, 'https://other.example');
    expect(elsewhere.client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    const testClient = await startEnded();
    await testClient.client.signOut({ allDevices: false });
    expect(testClient.client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    const restarted = await testClient.restart();
    expect(restarted.client.getState().session).toEqual({ kind: 'signed-out', reason: null });
  });

  it('shows the next server neither the email nor the reason, if the user chooses another one while signed out', async () => {
    const { client } = await startEnded();
    await client.setServerAddress({ address: 'https://other.example' });
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: null });
  });

  it('is remembered only in memory if the store fails', async () => {
    const testClient = await startEnded((platform) => {
      const { write } = platform.secrets;
      const failing = (name: string, value: string) =>
        name === 'ended-session' ? Promise.reject(new Error('ENOSPC')) : write(name, value);
      Object.assign(platform.secrets, { write: failing });
    });
    expect(testClient.client.getState().session).toEqual(ended);
    const restarted = await testClient.restart();
    expect(restarted.client.getState().session).toEqual({ kind: 'signed-out', reason: null });
  });
});

describe('the stored license', () => {
  it('of one account is not used for another', async () => {
    const { client, platform, server, on } = await startActivated();
    server.refreshToken = 'v1.another';
    server.accessTokens.clear();
    await client.syncNow();
    server.user = { id: 'someone-else', email: 'eve@lab.org', full_name: 'Eve' };
    server.hasLicense = false;
    await client.signIn({ email: 'eve@lab.org', password: 'right' });
    await platform.clock.advance(10);
    expect(client.getState().license).toEqual({ kind: 'no-license' });
    expect(on()).toEqual([]);
    expect(client.getState().activity.map(({ kind }) => kind)).not.toContain('device-activated');
  });

  it('of one device is not used on another', async () => {
    const testClient = await startActivated();
    testClient.platform.http.cut({ fails: 'unreachable' });
    const { client, on } = await testClient.restart((platform) => {
      const machineId = { kind: 'value', value: 'fedcba9876543210fedcba9876543210' };
      Object.assign(platform.machine, { readMachineId: async () => machineId });
    });
    expect(client.getState().license).toEqual({ kind: 'unknown' });
    expect(on()).toEqual([]);
  });

  it('of one server is not used at another', async () => {
    const { client, platform, on } = await startActivated();
    await client.setServerAddress({ address: 'https://other.example' });
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: 'server-changed' });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    platform.http.cut({ fails: 'unreachable' });
    await settle();
    expect(on()).toEqual([]);
    expect(JSON.stringify(platform.http.requests.filter(({ url }) => url.startsWith('https://other')))).not.toContain(
      licenseKey,
    );
  });
});

describe('a stored session', () => {
  it('of one server is never sent to another', async () => {
    const testClient = await startActivated();
    const moved = JSON.stringify({ version: 1, serverAddress: 'https://other.example', settings: {} });
    testClient.platform.plain.values.set('preferences', moved);
    const { client, platform } = await testClient.restart();
    await platform.clock.advance(60_000);
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: 'server-changed' });
    const sent = platform.http.requests.filter(({ url }) => url.startsWith('https://other.example'));
    expect(sent.map(({ url, headers, body }) => [url, headers.authorization, body])).toEqual([
      ['https://other.example/api/v1/about', undefined, undefined],
    ]);
  });

  it('is overwritten if it cannot be removed', async () => {
    const { client, platform } = await startActivated();
    Object.assign(platform.secrets, { remove: () => Promise.reject(new Error('EBUSY')) });
    expect(await client.signOut({ allDevices: false })).toMatchObject({ ok: true });
    expect(textOf(platform)).not.toContain('v1.refresh');
  });
});

describe('the server address', () => {
  it('is rejected unless it is https or loopback', async () => {
    const { client } = await startSignedIn();
    const done = await client.setServerAddress({ address: 'http://license.example' });
    expect(done).toMatchObject({ ok: false, failure: { code: 'SERVER_ADDRESS_INVALID' } });
    expect(client.getState().session.kind).toBe('signed-in');
  });

  it('changes nothing if it is the same', async () => {
    const { client } = await startSignedIn();
    expect(await client.setServerAddress({ address: 'localhost:8470/..' })).toMatchObject({ ok: true });
    expect(client.getState().session.kind).toBe('signed-out');
    const testClient = await startSignedIn();
    expect(await testClient.client.setServerAddress({ address: ' HTTP://127.0.0.1:8470/api/v1/ ' })).toMatchObject({
      ok: true,
    });
    expect(testClient.client.getState().session.kind).toBe('signed-in');
  });

  it('is stored for the next start', async () => {
    const testClient = await startTestClient();
    await testClient.client.setServerAddress({ address: 'https://License.Example.org/' });
    const { client } = await testClient.restart();
    expect(client.getState().server.address).toBe('https://license.example.org');
  });

  it('signs out at the previous server when it changes', async () => {
    const { client, platform } = await startSignedIn();
    await client.setServerAddress({ address: 'https://other.example' });
    await settle();
    expect(platform.http.to('/auth/logout')[0]?.url).toBe('http://127.0.0.1:8470/api/v1/auth/logout');
  });

  it('keeps its state when a late answer of the previous server is a failure, a request to wait or a missing endpoint', async () => {
    const late = { status: 429, headers: { 'retry-after': '3600' }, json: { error: 'Wait.', code: 'RATE_LIMITED' } };
    for (const reply of [{ fails: 'timeout' } as const, late, missing]) {
      const { client, platform } = await startTestClient();
      let answer = (_: Reply) => {};
      platform.http.on('POST /auth/password/forgot', () => new Promise((resolve) => (answer = resolve)));
      const asked = client.requestPasswordReset({ email: 'ada@lab.org', language: 'en' });
      await settle();
      await client.setServerAddress({ address: 'https://other.example' });
      await settle();
      const { server } = client.getState();
      answer(reply);
      expect(await asked).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
      expect(client.getState().server).toEqual(server);
      platform.http.on('POST /auth/password/forgot', { json: { success: true } });
      expect(await client.requestPasswordReset({ email: 'ada@lab.org', language: 'en' })).toMatchObject({ ok: true });
    }
  });
});

describe('a sign-in', () => {
  it('does not postpone a reminder for which another user asked', async () => {
    const { client, restart } = await startActivated();
    await client.changeSettings({ remindAt: '2026-03-02T00:00:00.000Z', theme: 'dark' });
    await client.signOut({ allDevices: false });
    await client.signIn({ email: 'eve@lab.org', password: 'right' });
    expect(client.getState().settings.remindAt).toBeUndefined();
    const { settings } = (await restart()).client.getState();
    expect(settings).toMatchObject({ theme: 'dark' });
    expect(settings.remindAt).toBeUndefined();
  });
});

describe('a sign-in while somebody is signed in', () => {
  it('ends the earlier session at the server once the new one is stored', async () => {
    const { client, platform } = await startActivated();
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await settle();
    expect(platform.http.to('/auth/logout').map(({ body }) => body)).toEqual(['{"refresh_token":"v1.refresh-1"}']);
  });

  it('keeps the stored session valid for the next start if the new one cannot be stored, as on a full disk', async () => {
    const { client, platform } = await startActivated();
    Object.assign(platform.secrets, { write: () => Promise.reject(new Error('ENOSPC')) });
    expect(await client.signIn({ email: 'ada@lab.org', password: 'right' })).toMatchObject({ ok: true });
    await settle();
    expect(platform.http.to('/auth/logout')).toEqual([]);
    expect(textOf(platform)).toContain('v1.refresh-1');
  });
});

describe('a machine without a keyring', () => {
  it('makes the app ask, and work in memory until the user has chosen', async () => {
    const { client, platform } = await startTestClient();
    platform.secrets.setStorage('ask');
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    expect(client.getState()).toMatchObject({ secretStorage: 'ask', session: { kind: 'signed-in' } });
    await client.chooseSecretStorage({ keep: true });
    expect(client.getState().secretStorage).toBe('file');
    expect(platform.secrets.values.get('session')).toContain('v1.refresh-1');
  });

  it('stores nothing if the user chose so, and the session continues', async () => {
    const { client, platform } = await startActivated();
    platform.secrets.setStorage('ask');
    await client.chooseSecretStorage({ keep: false });
    expect(client.getState()).toMatchObject({ secretStorage: 'memory', session: { kind: 'signed-in' } });
    expect(await client.syncNow()).toMatchObject({ ok: true });
  });
});

describe('a change of server', () => {
  it('clears what the previous server reported about a file, even while nobody is signed in', async () => {
    const { client, platform } = await startTestClient();
    platform.contents.set('/file', new Uint8Array(3));
    platform.http.on('GET /binary-hash', {
      json: {
        version: '1.0.0',
        hashes: { windows_x64: `sha256:${'0'.repeat(64)}` },
        updated_at: '2026-01-02T00:00:00.000Z',
      },
    });
    await client.verifyInstaller({ path: '/file' });
    await client.scanForKeys({ text: 'nothing' });
    expect(client.getState()).toMatchObject({ installer: { kind: 'not-genuine' }, keyScan: { kind: 'done' } });
    await client.setServerAddress({ address: 'https://other.example' });
    expect(client.getState()).toMatchObject({ installer: { kind: 'idle' }, keyScan: { kind: 'idle' } });
  });

  it('in progress never sends the new server a password that was typed for the previous one', async () => {
    const { client, platform } = await startActivated();
    const { remove } = platform.secrets;
    const disk = Promise.withResolvers<void>();
    Object.assign(platform.secrets, { remove: (name: string) => disk.promise.then(() => remove(name)) });
    const changing = client.setServerAddress({ address: 'https://other.example' });
    await settle();
    const before = platform.http.requests.length;
    const signingIn = client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    const signingUp = client.signUp({ email: 'new@lab.org', password: 'correct horse battery', fullName: '' });
    await settle();
    disk.resolve();
    expect(await changing).toMatchObject({ ok: true });
    expect(await signingIn).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    expect(await signingUp).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    const sent = platform.http.requests.slice(before).map(({ body }) => body ?? '');
    expect(sent.join()).not.toContain('correct horse battery');
  });
});
