/** The stored preferences: each invalid part falls back to its default, and nothing unreadable is lost. */
import { describe, expect, it } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { Preferences } from '../../../electron/licensing/preferences.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { startSignedIn, startTestClient, testApp } from './start-client.ts';

describe('preferences', () => {
  it('are stored, and only an invalid one falls back to its default', async () => {
    const testClient = await startTestClient();
    await testClient.client.changeSettings({ theme: 'dark', heartbeatIntervalSeconds: 600 });
    const stored = JSON.parse(testClient.platform.plain.values.get('preferences') ?? '{}');
    stored.settings.heartbeatIntervalSeconds = 1;
    testClient.platform.plain.values.set('preferences', JSON.stringify(stored));
    const { client } = await testClient.restart();
    expect(client.getState().settings).toMatchObject({ theme: 'dark', heartbeatIntervalSeconds: 300 });
  });

  it.each(['{"version":99}', 'not JSON'])('that cannot be parsed are quarantined before a change: %s', async (text) => {
    const testClient = await startTestClient();
    testClient.platform.plain.values.set('preferences', text);
    const { client, platform } = await testClient.restart();
    expect(client.getState().settings.theme).toBe('system');
    expect(platform.plain.values.get('preferences')).toBe(text);
    expect(await client.changeSettings({ theme: 'dark' })).toEqual({ ok: true, value: null });
    expect(platform.plain.values.get('preferences.unreadable-1')).toBe(text);
    expect(platform.plain.values.get('preferences')).toContain('"dark"');
  });

  it('take effect even if they cannot be stored, and the command reports the failure', async () => {
    const { client, platform } = await startTestClient();
    platform.plain.setFailing(true);
    expect(await client.changeSettings({ theme: 'dark' })).toMatchObject({
      ok: false,
      failure: { code: 'STORE_UNAVAILABLE' },
    });
    expect(client.getState().settings.theme).toBe('dark');
  });

  it.each(['http://license.example.org', 'http://10.0.0.1:8470', 'https://ada:secret@example.org', 'ftp://x', ''])(
    'reject the default address %j: the constructor throws a message without it',
    (defaultServerAddress) => {
      const build = () => new LicensingClient({ platform: createFakePlatform(), app: testApp, defaultServerAddress });
      expect(build).toThrow(
        /^The default server address is not allowed: it must be an https address, or http for a server on this computer \(localhost or 127\.0\.0\.1\)\.$/,
      );
    },
  );

  it('convert the default address to its canonical form', async () => {
    const defaultServerAddress = 'License.Example.org/api/v1/';
    const client = new LicensingClient({ platform: createFakePlatform(), app: testApp, defaultServerAddress });
    expect(client.getState().server.address).toBe('https://license.example.org');
  });

  it('have no server without a default address, and nothing is sent until the user has chosen one', async () => {
    const { client, platform, restart } = await startTestClient(undefined, undefined, null);
    expect(client.getState().server.address).toBeNull();
    const signIn = () => client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    expect(await signIn()).toMatchObject({ ok: false, failure: { code: 'SERVER_ADDRESS_INVALID' } });
    const report = await client.runDoctor();
    expect(report).toMatchObject({ ok: true, value: { server: null } });
    expect(report.ok && report.value.steps[0]).toMatchObject({ finding: 'address-missing', outcome: 'fail' });
    await platform.clock.advance(600_000);
    expect(platform.http.requests).toEqual([]);
    expect(await client.setServerAddress({ address: 'http://127.0.0.1:8470' })).toMatchObject({ ok: true });
    expect(await signIn()).toMatchObject({ ok: true });
    const again = await restart(undefined, null);
    expect(again.client.getState()).toMatchObject({
      server: { address: 'http://127.0.0.1:8470' },
      session: { kind: 'signed-in' },
    });
  });

  it('with a stored address that is not allowed use the default one, and sign-in gives that as the reason', async () => {
    const testClient = await startTestClient();
    const stored = { version: 1, serverAddress: 'http://license.example.org', settings: {} };
    testClient.platform.plain.values.set('preferences', JSON.stringify(stored));
    const { client, platform } = await testClient.restart();
    expect(client.getState().server.address).toBe('http://127.0.0.1:8470');
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: 'server-address-not-allowed' });
    expect(platform.logged.join()).toContain('the stored server address is not allowed');
    await client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    expect(new Set(platform.http.requests.map(({ url }) => new URL(url).host))).toEqual(new Set(['127.0.0.1:8470']));
  });

  describe('with a server named for a single run', () => {
    const other = 'https://other.example';
    const hostsOf = ({ platform }: Awaited<ReturnType<typeof startTestClient>>, from: number) =>
      new Set(platform.http.requests.slice(from).map(({ url }) => new URL(url).origin));

    it.each(['the default one', 'one that was chosen'])('send everything there, and nothing to %s', async (own) => {
      const first = await startSignedIn();
      if (own !== 'the default one') {
        await first.client.setServerAddress({ address: 'https://chosen.example' });
        await first.client.signIn({ email: 'ada@lab.org', password: 'right' });
        await first.platform.clock.advance(10);
      }
      const before = first.platform.http.requests.length;
      const stored = first.platform.plain.values.get('preferences');
      const named = await first.restart(undefined, undefined, undefined, other);
      expect(named.client.getState()).toMatchObject({
        server: { address: other },
        session: { kind: 'signed-out', reason: 'server-changed' },
      });
      await named.client.signIn({ email: 'ada@lab.org', password: 'wrong' });
      await named.client.changeSettings({ theme: 'dark' });
      await named.platform.clock.advance(60_000);
      expect(hostsOf(named, before)).toEqual(new Set([other]));
      const sent = named.platform.http.requests.slice(before).map(({ body }) => body ?? '');
      expect(sent.join()).not.toContain(named.server.refreshToken);
      const serverOf = (text = '{}') => JSON.parse(text).serverAddress ?? null;
      expect(serverOf(named.platform.plain.values.get('preferences'))).toBe(serverOf(stored));
    });

    it('never send its session to the app’s own server afterwards', async () => {
      const first = await startTestClient();
      const named = await first.restart(undefined, undefined, undefined, other);
      await named.client.signIn({ email: 'ada@lab.org', password: 'right' });
      await named.platform.clock.advance(10);
      const before = named.platform.http.requests.length;
      const again = await named.restart();
      await again.platform.clock.advance(60_000);
      const sent = again.platform.http.requests.slice(before).map(({ url, body }) => `${url} ${body}`);
      expect(sent.join()).not.toContain(again.server.refreshToken);
      expect(again.client.getState().session).toEqual({ kind: 'signed-out', reason: 'server-changed' });
      const back = await again.restart(undefined, undefined, undefined, other);
      expect(back.client.getState().session).toMatchObject({ kind: 'signed-in' });
    });

    it('leave the session of the other server signed in, also after a sign-out', async () => {
      const first = await startSignedIn();
      const named = await first.restart(undefined, undefined, undefined, other);
      expect(await named.client.signOut({ allDevices: false })).toEqual({ ok: true, value: null });
      const again = await named.restart();
      expect(again.client.getState()).toMatchObject({
        server: { address: 'http://127.0.0.1:8470' },
        session: { kind: 'signed-in' },
      });
    });
  });
});

describe('the preferences by themselves', () => {
  const home = 'https://license.org';

  function start(stored: unknown = null, more: { serverAddress?: string; defaultServerAddress?: string | null } = {}) {
    const { plain, log, logged, clock } = createFakePlatform();
    if (stored !== null) plain.values.set('preferences', JSON.stringify(stored));
    let notified = 0;
    const changes = { notify: () => void notified++ } as never;
    const given = { defaultServerAddress: home, systemLocale: 'de-AT', ...more };
    const preferences = new Preferences({ plain, log, clock, changes, ...given });
    const setAside = () => [...plain.values.keys()].filter((name) => name !== 'preferences');
    return { preferences, plain, logged, setAside, notified: () => notified };
  }

  it('have the language of the system until the user chooses one', async () => {
    const { preferences, notified } = start();
    expect(preferences.language).toBe('de-AT');
    await preferences.changeSettings({ language: 'ja' });
    expect(preferences.language).toBe('ja');
    expect(notified()).toBe(1);
  });

  it.each([
    ['nothing', null, 0, 0],
    ['this version', { version: 1, serverAddress: null, settings: { theme: 'light' } }, 0, 0],
    ['a newer version', { version: 2, min_reader: 1, serverAddress: null, settings: {} }, 0, 1],
    ['something damaged', 'damaged', 1, 1],
    ['a version that cannot be read', { version: 2 }, 1, 1],
  ])('that were stored by %s are set aside if they cannot be kept in full', async (_, stored, warned, kept) => {
    const { preferences, logged, setAside } = start(stored);
    await preferences.load();
    expect(logged).toEqual(Array(warned).fill('the settings cannot be read; the defaults apply {}'));
    for (const theme of ['dark', 'light'] as const) await preferences.changeSettings({ theme });
    expect(setAside()).toHaveLength(kept);
  });

  it('that were not loaded are overwritten', async () => {
    const { preferences, setAside } = start({ version: 1, serverAddress: null, settings: {} });
    await preferences.changeSettings({ theme: 'dark' });
    expect(setAside()).toEqual([]);
  });

  it.each([null, 'dark', 7, ['dark'], { theme: 'blue' }])(
    'with the settings %j have the defaults',
    async (settings) => {
      const { preferences } = start({ version: 1, serverAddress: null, settings });
      const defaults = preferences.current.settings;
      await preferences.load();
      expect(preferences.current.settings).toEqual(defaults);
    },
  );

  it('whose address is not allowed say so, and use the default', async () => {
    const { preferences, logged } = start({ version: 1, serverAddress: 'http://example.org', settings: {} });
    await preferences.load();
    expect(logged).toEqual(['the stored server address is not allowed; the default one is used {}']);
    expect(preferences.current.serverAddress).toBe(home);
    expect([preferences.storedAddressNotAllowed, preferences.isDefaultAddress]).toEqual([true, false]);
  });

  it('without any address say nothing about the stored one', async () => {
    const { preferences, logged } = start(
      { version: 1, serverAddress: null, settings: {} },
      { defaultServerAddress: null },
    );
    await preferences.load();
    expect(logged).toEqual([]);
    expect([preferences.storedAddressNotAllowed, preferences.isDefaultAddress]).toEqual([false, true]);
  });

  it('have the address of this run until the user chooses another one', async () => {
    const stored = { version: 1, serverAddress: 'http://example.org', settings: {} };
    const { preferences, plain } = start(stored, { serverAddress: 'https://run.org' });
    await preferences.load();
    const state = () => [
      preferences.current.serverAddress,
      preferences.isOverridden,
      preferences.storedAddressNotAllowed,
      preferences.isDefaultAddress,
    ];
    expect(state()).toEqual(['https://run.org', true, false, false]);
    await preferences.changeSettings({ theme: 'dark' });
    expect(state()[0]).toBe('https://run.org');
    expect(plain.values.get('preferences')).not.toContain('run.org');
    await preferences.change({ serverAddress: 'https://other.org' });
    expect(state().slice(0, 2)).toEqual(['https://other.org', false]);
  });

  it('have no address of this run without one, or with the same one', () => {
    expect(start().preferences.isOverridden).toBe(false);
    expect(start(null, { serverAddress: home }).preferences.isOverridden).toBe(false);
    expect(start().preferences.isDefaultAddress).toBe(true);
  });

  it('reject an address of this run that is not allowed', () => {
    expect(() => start(null, { serverAddress: 'http://example.org' })).toThrow(/^The server address is not allowed: /);
  });

  it('that cannot be stored are a failure with its reason', async () => {
    const { preferences, plain } = start();
    plain.setFailing(true);
    expect(await preferences.changeSettings({ theme: 'dark' })).toMatchObject({
      failure: { code: 'STORE_UNAVAILABLE', message: 'The setting could not be stored.' },
    });
  });
});
