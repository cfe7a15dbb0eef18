/** The session: one refresh at a time, each token kept before it is used. */
import { describe, expect, it } from 'vitest';
import { settle } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';
import { startActivated, startSignedIn } from './start-client.ts';

type Kept = { readonly refreshToken: string; readonly pendingRefreshKey: string | null };

function keptSession(values: Map<string, string>): Kept {
  return JSON.parse(values.get('session') ?? '{}') as Kept;
}

describe('a refresh', () => {
  it('happens before the token expires, at 80 % of its life', async () => {
    const { platform } = await startSignedIn();
    await platform.clock.advance(0.75 * 3_600_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(0);
    await platform.clock.advance(0.1 * 3_600_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(1);
  });

  it('is one for all the calls that need it', async () => {
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

  it('keeps its Idempotency-Key on the disk before it is sent', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    let keptWhenSent: Kept | null = null;
    platform.http.on('POST /auth/refresh', ({ headers }) => {
      keptWhenSent = keptSession(platform.secrets.values);
      expect(headers['idempotency-key']).toBe(keptWhenSent.pendingRefreshKey);
      return { fails: 'timeout' };
    });
    await sync();
    expect(keptWhenSent).toMatchObject({ refreshToken: 'v1.refresh-1', pendingRefreshKey: expect.any(String) });
  });

  it('whose answer was lost is repeated with the same token and the same key, also after a crash', async () => {
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

  it('takes a new key once its answer is kept', async () => {
    const { sync, platform, server } = await startActivated();
    for (const _ of [1, 2]) {
      server.accessTokens.clear();
      await sync();
    }
    const keys = platform.http.to('/auth/refresh').map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect(keptSession(platform.secrets.values)).toMatchObject({
      refreshToken: 'v1.refresh-3',
      pendingRefreshKey: null,
    });
  });

  it('has its new token on the disk before the access token that came with it is used', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    let kept: string | null = null;
    platform.http.on('POST /heartbeat', ({ headers }) => {
      if (headers.authorization !== 'Bearer access-2') return errorReply(401, 'TOKEN_EXPIRED');
      kept = keptSession(platform.secrets.values).refreshToken;
      return { json: { success: true, timestamp: '2026-03-03T09:00:00.000Z' } };
    });
    await sync();
    expect(kept).toBe('v1.refresh-2');
  });

  it('is not sent while its key cannot be kept, and the session lives on', async () => {
    const { sync, platform, server, on } = await startActivated();
    server.accessTokens.clear();
    platform.secrets.refuse(true);
    const done = await sync();
    expect(done).toMatchObject({ ok: false, failure: { code: 'STORE_UNAVAILABLE' } });
    expect(platform.http.to('/auth/refresh')).toHaveLength(0);
    expect(on()).toHaveLength(6);
    platform.secrets.refuse(false);
    expect(await sync()).toMatchObject({ ok: true });
    expect(keptSession(platform.secrets.values).refreshToken).toBe('v1.refresh-2');
  });

  it('whose answer cannot be kept asks with the old token and its key again', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    platform.http.on('POST /auth/refresh', () => {
      platform.secrets.refuse(true);
      server.accessTokens.add('access-x');
      return { json: { access_token: 'access-x', refresh_token: 'v1.child', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    expect(await sync()).toMatchObject({ ok: true });
    platform.secrets.refuse(false);
    server.accessTokens.clear();
    await sync();
    const sent = platform.http.to('/auth/refresh');
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(({ body, headers }) => body + String(headers['idempotency-key']))).size).toBe(1);
  });

  it('that ends after a sign-out brings nobody back', async () => {
    const { client, platform, server } = await startActivated();
    server.accessTokens.clear();
    let answer = () => {};
    platform.http.on('POST /auth/refresh', async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { json: { access_token: 'late', refresh_token: 'v1.late', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    const checking = client.syncNow();
    await settle();
    await client.signOut({ allDevices: false });
    answer();
    await checking;
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    expect([...platform.secrets.values.values()].join()).not.toMatch(/v1\.(refresh|late)/);
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

describe('a session that cannot be kept at all', () => {
  it('works in memory until the app ends', async () => {
    const { sync, client, platform, server } = await startSignedIn();
    await client.signOut({ allDevices: false });
    platform.secrets.refuse(true);
    expect(await client.signIn({ email: 'ada@lab.org', password: 'right' })).toMatchObject({ ok: true });
    server.accessTokens.clear();
    expect(await sync()).toMatchObject({ ok: true });
    expect(client.getState().session.kind).toBe('signed-in');
  });
});
