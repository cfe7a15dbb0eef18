/** The API key is shown once and handled as a secret. */
import { describe, expect, it } from 'vitest';
import type { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { settle } from '../fake-platform.ts';
import { errorReply, licenseKey, newKey } from './scripted-server.ts';
import { startActivated } from './start-client.ts';

const kinds = (client: LicensingClient) =>
  client.getState().activity.flatMap(({ kind, detail }) => (kind.startsWith('api-key') ? [[kind, detail]] : []));

describe('the API key', () => {
  it('is available until it is saved, then only as its prefix', async () => {
    const { client, platform } = await startActivated();
    expect(await client.generateApiKey({ replace: true })).toEqual({
      ok: true,
      value: { kind: 'generated', apiKey: newKey },
    });
    expect(client.unsavedApiKey()).toBe(newKey);
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', unsaved: true });
    expect(kinds(client)).toEqual([['api-key-generated', 'svc_live_AbCd']]);
    await platform.clock.advance(0);
    const shown: unknown[] = [];
    client.subscribe(({ apiKey }) => shown.push(apiKey?.unsaved));
    await client.confirmApiKeySaved();
    await platform.clock.advance(0);
    expect(shown).toEqual([false]);
    expect(client.unsavedApiKey()).toBeNull();
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', unsaved: false });
  });

  it('reports that it replaces one that was reported as leaked', async () => {
    const { client, platform } = await startActivated();
    const at = '2026-12-03T00:00:00.000Z';
    const last = { api_key_prefix: 'svc_live_ZzZz', is_legacy: false, created_at: at, revoked_at: at, reported_at: at };
    platform.http.on('GET /metrics/api-key/status', { json: { key: last } });
    await client.checkApiKey();
    const response = { api_key: newKey, is_legacy: false, plan: 'standard', features: { api_access: true } };
    const json = { ...response, created_at: '2026-12-04T00:00:00.000Z', message: 'Bewahren Sie ihn jetzt auf.' };
    platform.http.on('POST /metrics/api-key', { json });
    expect(await client.generateApiKey({ replace: false })).toEqual({
      ok: true,
      value: {
        kind: 'generated',
        apiKey: newKey,
        reported: { prefix: 'svc_live_ZzZz', at },
      },
    });
  });

  it('is never parsed from a message: what the text says about another key is ignored', async () => {
    const { client, platform } = await startActivated();
    const message = 'Your key svc_live_ZzZz… was reported as leaked on 2026-12-03T00:00:00.000Z and revoked.';
    const response = { api_key: newKey, is_legacy: false, plan: 'standard', features: { api_access: true } };
    platform.http.on('POST /metrics/api-key', {
      json: { ...response, created_at: '2026-12-04T00:00:00.000Z', message },
    });
    const value = { kind: 'generated', apiKey: newKey };
    expect(await client.generateApiKey({ replace: false })).toEqual({ ok: true, value });
  });

  it('is found by its prefix if it exists, and known after a restart', async () => {
    const testClient = await startActivated();
    const found = await testClient.client.generateApiKey({ replace: false });
    expect(found).toEqual({ ok: true, value: { kind: 'existing', prefix: 'svc_live_AbCd' } });
    const { client } = await testClient.restart();
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', isLegacy: false });
  });

  it('is requested with the same idempotency key until its response is known, also after a restart', async () => {
    const testClient = await startActivated();
    const { http, clock } = testClient.platform;
    http.cut({ fails: 'timeout' });
    const lost = testClient.client.generateApiKey({ replace: true });
    await clock.advance(1000);
    expect(await lost).toMatchObject({ ok: false, failure: { code: 'SERVER_UNREACHABLE' } });
    http.cut(null);
    const { client, platform } = await testClient.restart();
    expect(await client.generateApiKey({ replace: true })).toMatchObject({ ok: true });
    expect(await client.generateApiKey({ replace: true })).toMatchObject({ ok: true });
    const keys = platform.http.to('/metrics/api-key').map(({ headers }) => headers['idempotency-key']);
    expect(keys.length).toBeGreaterThanOrEqual(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys.slice(0, -1)).size).toBe(1);
    expect(keys.at(-1)).not.toBe(keys[0]);
  });

  it('is requested with a new idempotency key after a conclusive error, and for a different request', async () => {
    const { client, platform } = await startActivated();
    const { http, clock } = platform;
    http.on('POST /metrics/api-key', errorReply(403, 'API_ACCESS_DISABLED'));
    await client.generateApiKey({ replace: true });
    http.on('POST /metrics/api-key', { fails: 'timeout' });
    for (const replace of [true, false]) {
      const lost = client.generateApiKey({ replace });
      await clock.advance(1000);
      await lost;
    }
    const sent = http.to('/metrics/api-key').map(({ headers, body }) => `${headers['idempotency-key']} ${body}`);
    expect(new Set(sent).size).toBe(3);
    expect(new Set(sent.map((each) => each.split(' ')[0])).size).toBe(3);
  });

  it('whose response was lost does not appear as an existing key, and the same command returns it', async () => {
    const { client, platform, sync } = await startActivated();
    const key = { api_key_prefix: 'svc_live_QwEr', is_legacy: false, created_at: '2026-12-04T00:00:00.000Z' };
    platform.http.on('POST /metrics/api-key', { fails: 'timeout' });
    const lost = client.generateApiKey({ replace: false });
    await platform.clock.advance(1000);
    await lost;
    platform.http.on('GET /metrics/api-key/status', { json: { key: null } });
    expect(await client.checkApiKey()).toEqual({ ok: true, value: null });
    const status = (revoked: string | null) => ({ json: { key: { ...key, revoked_at: revoked, reported_at: null } } });
    platform.http.on('GET /metrics/api-key/status', status(null));
    await sync();
    await client.checkApiKey();
    expect(client.getState().apiKey).toBeNull();
    platform.http.on('GET /metrics/api-key/status', status('2026-12-05T00:00:00.000Z'));
    await client.checkApiKey();
    expect(client.getState().apiKey).toMatchObject({ revoked: { at: '2026-12-05T00:00:00.000Z' } });
    const response = { api_key: newKey, is_legacy: false, plan: 'standard', features: { api_access: true } };
    platform.http.on('POST /metrics/api-key', { json: { ...response, created_at: key.created_at, message: '' } });
    expect(await client.generateApiKey({ replace: false })).toMatchObject({ ok: true, value: { kind: 'generated' } });
    platform.http.on('GET /metrics/api-key/status', status(null));
    await client.checkApiKey();
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_QwEr', revoked: null });
  });

  it('is not requested by nobody, nor with a plan that lacks it', async () => {
    const { client, platform, server, sync } = await startActivated();
    server.features = { ...server.features, api_access: false };
    await sync();
    expect(await client.generateApiKey({ replace: false })).toMatchObject({ failure: { code: 'FEATURE_OFF' } });
    await client.signOut({ allDevices: false });
    expect(await client.generateApiKey({ replace: false })).toMatchObject({ failure: { code: 'NOT_SIGNED_IN' } });
    expect(platform.http.to('/metrics/api-key')).toHaveLength(0);
  });

  it('is discarded at sign-out if it was not saved', async () => {
    const { client } = await startActivated();
    await client.generateApiKey({ replace: true });
    await client.signOut({ allDevices: false });
    expect(client.unsavedApiKey()).toBeNull();
  });
});

describe('a key that was revoked', () => {
  const createdAt = '2026-02-01T00:00:00.000Z';
  const revokedAt = '2026-03-01T00:00:00.000Z';
  const reply = (change: object) => ({
    json: {
      key: {
        api_key_prefix: 'svc_live_AbCd',
        is_legacy: false,
        created_at: createdAt,
        revoked_at: revokedAt,
        reported_at: revokedAt,
        ...change,
      },
    },
  });
  const current = reply({ revoked_at: null, reported_at: null });

  it('because it was reported is in the state and, once, in the activity, also after a restart', async () => {
    const testClient = await startActivated();
    const { platform } = testClient;
    platform.http.on('GET /metrics/api-key/status', current);
    await testClient.sync();
    expect(testClient.client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', revoked: null });
    platform.http.on('GET /metrics/api-key/status', reply({}));
    await testClient.sync();
    expect(kinds(testClient.client)).toEqual([['api-key-reported', 'svc_live_AbCd']]);
    const { client, sync } = await testClient.restart();
    expect(client.getState().apiKey).toMatchObject({ revoked: { at: revokedAt, reported: true } });
    await sync();
    expect(kinds(client)).toEqual([['api-key-reported', 'svc_live_AbCd']]);
    expect(await client.generateApiKey({ replace: true })).toMatchObject({ ok: true });
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', revoked: null });
  });

  it('by an admin is distinguished from a reported one', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('GET /metrics/api-key/status', reply({ reported_at: null }));
    const written = platform.secrets.writes.length;
    expect(await client.checkApiKey()).toEqual({ ok: true, value: null });
    expect(platform.secrets.writes).toHaveLength(written + 1);
    expect(client.getState().apiKey).toMatchObject({ revoked: { at: revokedAt, reported: false } });
    expect(kinds(client)).toEqual([['api-key-revoked', 'svc_live_AbCd']]);
  });

  it('is checked every 15 minutes, and immediately when the user asks', async () => {
    const { client, platform, sync } = await startActivated();
    platform.http.on('GET /metrics/api-key/status', current);
    const asked = () => platform.http.to('/metrics/api-key/status').length;
    await sync();
    const before = asked();
    client.setForeground(true);
    await platform.clock.advance(14 * 60_000);
    expect(asked()).toBe(before);
    await platform.clock.advance(2 * 60_000);
    expect(asked()).toBe(before + 1);
    await platform.clock.advance(12 * 60_000);
    expect(asked()).toBe(before + 1);
    await sync();
    expect(asked()).toBe(before + 2);
  });

  it('is shown in the window at once, and reported again only if it is another key', async () => {
    const { client, platform } = await startActivated();
    platform.http.on('GET /metrics/api-key/status', reply({}));
    const shown: unknown[] = [];
    client.subscribe(({ apiKey }) => shown.push(apiKey?.revoked?.at));
    await client.checkApiKey();
    await platform.clock.advance(0);
    expect(shown.at(-1)).toBe(revokedAt);
    await client.checkApiKey();
    expect(kinds(client)).toHaveLength(1);
    platform.http.on('GET /metrics/api-key/status', reply({ created_at: '2026-02-02T00:00:00.000Z' }));
    await client.checkApiKey();
    expect(kinds(client)).toHaveLength(2);
  });

  it('stays known while the plan lacks API access, and there is none before the first', async () => {
    const { client, platform, server, sync } = await startActivated();
    platform.http.on('GET /metrics/api-key/status', { json: { key: null } });
    expect(await client.checkApiKey()).toEqual({ ok: true, value: null });
    expect(client.getState().apiKey).toBeNull();
    platform.http.on('GET /metrics/api-key/status', current);
    await client.checkApiKey();
    server.features = { ...server.features, api_access: false };
    platform.http.on('GET /metrics/api-key/status', reply({}));
    await sync();
    expect(client.getState().apiKey).toMatchObject({ revoked: { at: revokedAt } });
  });

  it('is not looked for without API access if none is known', async () => {
    const { platform, server, sync } = await startActivated();
    platform.http.on('GET /metrics/api-key/status', { json: { key: null } });
    server.features = { ...server.features, api_access: false };
    await sync();
    const before = platform.http.to('/metrics/api-key/status').length;
    await sync();
    expect(platform.http.to('/metrics/api-key/status')).toHaveLength(before);
  });

  it('is not checked again on a server without that endpoint, while its prefix stays known', async () => {
    const { client, platform, sync } = await startActivated();
    await client.generateApiKey({ replace: false });
    expect(await client.checkApiKey()).toMatchObject({ failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    const before = platform.http.to('/metrics/api-key/status').length;
    expect(await sync()).toEqual({ ok: true, value: null });
    expect(platform.http.to('/metrics/api-key/status')).toHaveLength(before);
    expect(client.getState().apiKey).toMatchObject({ prefix: 'svc_live_AbCd', revoked: null });
    await client.setServerAddress({ address: 'http://127.0.0.1:8471' });
    await client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    await client.activateLicense({ licenseKey });
    await sync();
    expect(platform.http.to('/metrics/api-key/status').length).toBeGreaterThan(before);
  });

  it('never replaces a key that was generated during the check', async () => {
    const { client, platform } = await startActivated();
    const { promise, resolve } = Promise.withResolvers<void>();
    platform.http.on('GET /metrics/api-key/status', async () => {
      await promise;
      return reply({});
    });
    const checked = client.checkApiKey();
    await client.generateApiKey({ replace: true });
    resolve();
    await checked;
    expect(client.getState().apiKey).toMatchObject({ revoked: null, unsaved: true });
  });
});

it.each(['signs in', 'is signed out'])(
  'a request for a new key never affects a user who %s after it',
  async (after) => {
    const { client, platform, server } = await startActivated();
    const { write } = platform.secrets;
    const disk = Promise.withResolvers<void>();
    Object.assign(platform.secrets, {
      write: async (name: string, value: string) => {
        if (name.startsWith('license-')) await disk.promise;
        return write(name, value);
      },
    });
    const generating = client.generateApiKey({ replace: true });
    await settle();
    server.user = { id: '01890000-0000-7000-8000-00000000000b', email: 'grace@lab.org', full_name: 'Grace' };
    const changing =
      after === 'signs in'
        ? client.signIn({ email: 'grace@lab.org', password: 'correct horse battery' })
        : client.signOut({ allDevices: false });
    await settle();
    disk.resolve();
    expect(await generating).toMatchObject({
      ok: false,
      failure: { code: 'CANCELED', message: 'The session has changed.' },
    });
    await changing;
    await settle();
    expect(platform.http.to('/metrics/api-key')).toHaveLength(0);
    expect(client.unsavedApiKey()).toBeNull();
  },
);
