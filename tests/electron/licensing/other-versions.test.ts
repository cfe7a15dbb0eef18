/** Data stored by another version of the app, or for another default address, is neither lost nor overwritten. */
import { describe, expect, it } from 'vitest';
import type { FakePlatform } from '../fake-platform.ts';
import { licenseKey } from './scripted-server.ts';
import { licenseDocumentName, startActivated, startTestClient } from './start-client.ts';

const password = 'correct horse battery';
const newAddress = 'https://new.example';

/** Changes a stored document as a newer version would have written it. */
function rewrite({ secrets }: FakePlatform, name: string, change: Record<string, unknown>): string {
  const text = JSON.stringify({ ...JSON.parse(secrets.values.get(name) ?? '{}'), ...change });
  secrets.values.set(name, text);
  return text;
}

const setAside = ({ secrets }: FakePlatform, name: string) =>
  [...secrets.values].flatMap(([key, text]) => (key.startsWith(`${name}.unreadable-`) ? [text] : []));

describe('a session of a newer version', () => {
  it('that this version cannot read is kept when somebody signs in', async () => {
    const testClient = await startActivated();
    let newer = '';
    const { client, platform, restart } = await testClient.restart((before) => {
      newer = rewrite(before, 'session', { version: 2, min_reader: 2, refreshToken: { other: 'shape' } });
    });
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: 'store-unreadable' });
    expect(platform.secrets.values.get('session')).toBe(newer);
    expect(await client.signIn({ email: 'ada@lab.org', password })).toMatchObject({ ok: true });
    expect(setAside(platform, 'session')).toEqual([newer]);
    expect((await restart()).client.getState().session.kind).toBe('signed-in');
  });

  it('is kept when somebody signs in at a server that was chosen after the start', async () => {
    const testClient = await startActivated();
    let newer = '';
    const { client, platform } = await testClient.restart((before) => {
      newer = rewrite(before, 'session', { version: 2, min_reader: 2, refreshToken: { other: 'shape' } });
    }, null);
    expect(await client.setServerAddress({ address: 'http://127.0.0.1:8470' })).toMatchObject({ ok: true });
    expect(await client.signIn({ email: 'ada@lab.org', password })).toMatchObject({ ok: true });
    expect(setAside(platform, 'session')).toEqual([newer]);
  });

  it('is not overwritten if it cannot be set aside', async () => {
    const testClient = await startActivated();
    let newer = '';
    const { client, platform } = await testClient.restart((before) => {
      newer = rewrite(before, 'session', { version: 2, refreshToken: 7 });
      Object.assign(before.secrets, { setAside: () => Promise.reject(new Error('ENOSPC')) });
    });
    await client.signIn({ email: 'ada@lab.org', password });
    expect(client.getState().session.kind).toBe('signed-in');
    await client.signOut({ allDevices: false });
    expect(platform.secrets.values.get('session')).toBe(newer);
  });

  it('that declares itself readable is used as far as this version reads it, and is kept before the first write', async () => {
    const testClient = await startActivated();
    let newer = '';
    const { client, platform, sync } = await testClient.restart((before) => {
      newer = rewrite(before, 'session', { version: 2, min_reader: 1, passkeys: ['new'] });
    });
    expect(client.getState().session.kind).toBe('signed-in');
    await sync();
    expect(client.getState().session.kind).toBe('signed-in');
    expect(setAside(platform, 'session')).toEqual([newer]);
    expect(JSON.parse(platform.secrets.values.get('session') ?? '')).toMatchObject({ version: 1, min_reader: 1 });
  });
});

describe('a license of a newer version', () => {
  it('that declares itself readable works, and is kept before the first write', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    testClient.platform.http.cut({ fails: 'unreachable' });
    const name = licenseDocumentName(testClient.platform);
    let newer = '';
    const { client, platform, sync } = await testClient.restart((before) => {
      newer = rewrite(before, name, { version: 4, min_reader: 3, lease: 'new' });
    });
    await sync();
    expect(client.getState()).toMatchObject({ license: { kind: 'offline' }, thisDevice: { activated: true } });
    expect(setAside(platform, name)).toEqual([newer]);
  });

  it('that this version cannot read stays until a new key is entered, and is set aside then', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const name = licenseDocumentName(testClient.platform);
    let newer = '';
    const { client, platform, sync } = await testClient.restart((before) => {
      newer = rewrite(before, name, { version: 4, min_reader: 4, facts: 'other shape' });
    });
    await sync();
    expect(platform.secrets.values.get(name)).toBe(newer);
    await client.activateLicense({ licenseKey });
    expect(client.getState().thisDevice).toMatchObject({ activated: true });
    expect(setAside(platform, name)).toEqual([newer]);
    expect(platform.secrets.values.get(name)).toContain(licenseKey);
  });
});

describe('settings of a newer version', () => {
  it('apply as far as this version reads them, and are kept before the first write', async () => {
    const { client, platform, restart } = await startTestClient();
    await client.changeSettings({ heartbeatIntervalSeconds: 600 });
    const stored = JSON.parse(platform.plain.values.get('preferences') ?? '{}');
    const newer = JSON.stringify({ ...stored, version: 2, min_reader: 1, profiles: ['new'] });
    const again = await restart((before) => void before.plain.values.set('preferences', newer));
    expect(again.client.getState().settings.heartbeatIntervalSeconds).toBe(600);
    await again.client.changeSettings({ heartbeatIntervalSeconds: 300 });
    expect(again.platform.plain.values.get('preferences.unreadable-1')).toBe(newer);
  });
});

describe('a new default address of the app', () => {
  it('keeps session and license if the same server responds there, also after later starts', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const moved = await testClient.restart(undefined, newAddress);
    expect(moved.client.getState().session.kind).toBe('signed-in');
    await moved.sync();
    expect(moved.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, license: { kind: 'works' } });
    expect(moved.platform.http.to('/auth/refresh').at(-1)?.url).toMatch(/^https:\/\/new\.example\//);
    moved.platform.http.cut({ fails: 'unreachable' });
    const later = await moved.restart();
    expect(later.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, thisDevice: { activated: true } });
  });

  it('keeps the license if the app ends between storing the session and the license', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const name = licenseDocumentName(testClient.platform);
    const license = testClient.platform.secrets.values.get(name) ?? '';
    const moved = await testClient.restart(undefined, newAddress);
    await moved.sync();
    moved.platform.http.cut({ fails: 'unreachable' });
    const later = await moved.restart(({ secrets }) => void secrets.values.set(name, license));
    expect(later.client.getState().thisDevice).toMatchObject({ activated: true });
  });

  it('keeps both while no server responds there, and for the old address', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    testClient.platform.http.cut({ fails: 'unreachable' });
    const moved = await testClient.restart(undefined, newAddress);
    await moved.sync();
    expect(moved.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, license: { kind: 'offline' } });
    const back = await moved.restart(({ http }) => http.cut(null), 'http://127.0.0.1:8470');
    await back.sync();
    expect(back.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, license: { kind: 'works' } });
  });

  it('is given as the reason if another server responds there, and the session is kept for the old address', async () => {
    const testClient = await startActivated();
    await testClient.sync();
    const { server, platform } = testClient;
    const known = server.refreshToken;
    server.refreshToken = 'v1.of-another-server';
    const moved = await testClient.restart(undefined, newAddress);
    await moved.sync();
    expect(moved.client.getState().session).toEqual({ kind: 'signed-out', reason: 'server-changed' });
    const sentThere = platform.http.requests.filter(({ url }) => url.startsWith(newAddress));
    expect(JSON.stringify(sentThere)).not.toContain(licenseKey);
    server.refreshToken = known;
    const back = await moved.restart(undefined, 'http://127.0.0.1:8470');
    await back.sync();
    expect(back.client.getState()).toMatchObject({ session: { kind: 'signed-in' }, license: { kind: 'works' } });
  });
});
