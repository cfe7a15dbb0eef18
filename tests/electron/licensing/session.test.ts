/** The session: one refresh at a time, and each token stored before it is used. */
import { describe, expect, it } from 'vitest';
import { settle } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';
import { startActivated, startSignedIn } from './start-client.ts';

type StoredSession = { readonly refreshToken: string; readonly pendingRefreshKey: string | null };

function storedSession(values: Map<string, string>): StoredSession {
  return JSON.parse(values.get('session') ?? '{}') as StoredSession;
}

describe('a refresh', () => {
  it('happens before the token expires, at 80 % of its life', async () => {
    const { platform } = await startSignedIn();
    await platform.clock.advance(0.75 * 3_600_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(0);
    await platform.clock.advance(0.1 * 3_600_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(1);
  });

  it('is shared by all calls that need it', async () => {
    const { client, platform, server } = await startActivated();
    server.accessTokens.clear();
    await platform.clock.advance(3_600_000 * 0.85 - 20_000);
    const before = platform.http.to('/auth/refresh').length;
    server.accessTokens.clear();
    await Promise.all([
      client.syncNow(),
      client.listDevices(),
      client.listDevices(),
      client.generateApiKey({ replace: false }),
    ]);
    expect(platform.http.to('/auth/refresh')).toHaveLength(before + 1);
  });

  it('stores its Idempotency-Key before it is sent', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    let storedWhenSent: StoredSession | null = null;
    platform.http.on('POST /auth/refresh', ({ headers }) => {
      storedWhenSent = storedSession(platform.secrets.values);
      expect(headers['idempotency-key']).toBe(storedWhenSent.pendingRefreshKey);
      return { fails: 'timeout' };
    });
    await sync();
    expect(storedWhenSent).toMatchObject({ refreshToken: 'v1.refresh-1', pendingRefreshKey: expect.any(String) });
  });

  it('whose response was lost is repeated with the same token and the same key, also after a crash', async () => {
    const testClient = await startActivated();
    testClient.server.accessTokens.clear();
    testClient.platform.http.on('POST /auth/refresh', { fails: 'timeout' });
    await testClient.sync();
    await testClient.sync();
    const again = await testClient.restart();
    await again.sync();
    const sent = testClient.platform.http.to('/auth/refresh');
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('has a new key once its response is stored', async () => {
    const { sync, platform, server } = await startActivated();
    for (const _ of [1, 2]) {
      server.accessTokens.clear();
      await sync();
    }
    const keys = platform.http.to('/auth/refresh').map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect(storedSession(platform.secrets.values)).toMatchObject({
      refreshToken: 'v1.refresh-3',
      pendingRefreshKey: null,
    });
  });

  it('has its new token stored before the access token that came with it is used', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    let stored: string | null = null;
    platform.http.on('POST /heartbeat', ({ headers }) => {
      if (headers.authorization !== 'Bearer access-2') return errorReply(401, 'TOKEN_EXPIRED');
      stored = storedSession(platform.secrets.values).refreshToken;
      return { json: { success: true, timestamp: '2026-03-03T09:00:00.000Z' } };
    });
    await sync();
    expect(stored).toBe('v1.refresh-2');
  });

  it('is not sent while its key cannot be stored, and the session goes on', async () => {
    const { sync, platform, server, on } = await startActivated();
    server.accessTokens.clear();
    platform.secrets.setFailing(true);
    const done = await sync();
    expect(done).toMatchObject({ ok: false, failure: { code: 'STORE_UNAVAILABLE' } });
    expect(platform.http.to('/auth/refresh')).toHaveLength(0);
    expect(on()).toHaveLength(6);
    platform.secrets.setFailing(false);
    expect(await sync()).toMatchObject({ ok: true });
    expect(storedSession(platform.secrets.values).refreshToken).toBe('v1.refresh-2');
  });

  it('whose response cannot be stored is repeated with the old token and its key', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    platform.http.on('POST /auth/refresh', () => {
      platform.secrets.setFailing(true);
      server.accessTokens.add('access-x');
      return { json: { access_token: 'access-x', refresh_token: 'v1.child', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    expect(await sync()).toMatchObject({ ok: true });
    platform.secrets.setFailing(false);
    server.accessTokens.clear();
    await sync();
    const sent = platform.http.to('/auth/refresh');
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(({ body, headers }) => body + String(headers['idempotency-key']))).size).toBe(1);
  });

  it('that ends after a sign-out signs nobody in', async () => {
    const { client, platform, server } = await startActivated();
    server.accessTokens.clear();
    let respond = () => {};
    platform.http.on('POST /auth/refresh', async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return { json: { access_token: 'late', refresh_token: 'v1.late', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    const syncing = client.syncNow();
    await settle();
    await client.signOut({ allDevices: false });
    respond();
    await syncing;
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    expect([...platform.secrets.values.values()].join()).not.toMatch(/v1\.(refresh|late)/);
  });

  it('is stored in its own order where an email address is being changed meanwhile', async () => {
    const { client, platform, server } = await startActivated();
    const held = { email: () => {}, refresh: () => {} };
    platform.http.on('POST /auth/email', async () => {
      await new Promise<void>((resolve) => {
        held.email = resolve;
      });
      return { json: { success: true } };
    });
    platform.http.on('POST /auth/refresh', async () => {
      await new Promise<void>((resolve) => {
        held.refresh = resolve;
      });
      return { json: { access_token: 'new', refresh_token: 'v1.new', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    const changing = client.changeEmail({ email: 'countess@lab.org', password: 'right', language: 'en' });
    await settle();
    server.accessTokens.clear();
    const listing = client.listDevices();
    await settle();
    held.email();
    await settle();
    expect(client.getState().pendingEmail).toBe('countess@lab.org');
    const { pendingRefreshKey } = storedSession(platform.secrets.values);
    expect(pendingRefreshKey).not.toBeNull();
    held.refresh();
    await Promise.all([changing, listing]);
    expect(storedSession(platform.secrets.values)).toMatchObject({
      refreshToken: 'v1.new',
      pendingRefreshKey: null,
      pendingEmail: { email: 'countess@lab.org' },
    });
  });

  it('measures the life of a token on the clock of the server', async () => {
    const { sync, platform, server } = await startActivated();
    platform.clock.setWall(platform.clock.now() - 365 * 86_400_000);
    server.accessTokens.clear();
    platform.http.on('POST /auth/refresh', () => {
      server.accessTokens.add('access-y');
      return {
        headers: { date: 'Tue, 03 Mar 2026 09:00:00 GMT' },
        json: { access_token: 'access-y', refresh_token: 'v1.y', expires_at: '2026-03-03T09:10:00.000Z' },
      };
    });
    await sync();
    await platform.clock.advance(7 * 60_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(1);
    await platform.clock.advance(5 * 60_000);
    expect(platform.http.to('/auth/refresh').length).toBeGreaterThan(1);
  });
});

describe('a session that cannot be stored at all', () => {
  it('works in memory until the app ends', async () => {
    const { sync, client, platform, server } = await startSignedIn();
    await client.signOut({ allDevices: false });
    platform.secrets.setFailing(true);
    expect(await client.signIn({ email: 'ada@lab.org', password: 'right' })).toMatchObject({ ok: true });
    server.accessTokens.clear();
    expect(await sync()).toMatchObject({ ok: true });
    expect(client.getState().session.kind).toBe('signed-in');
  });
});
