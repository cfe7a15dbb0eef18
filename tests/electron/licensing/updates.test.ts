/** App updates against the feed of the real server: what is offered, what is refused, and what is installed. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { AppUpdater, Http, UpdateDownload } from '../../../electron/licensing/platform.ts';
import { createHttp } from '../../../electron/platform/http.ts';
import { describeReleaseFile } from '../../../electron/release/release-file.ts';
import { type InstallationKind, noUpdates } from '../../../shared/ipc/updates.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { newPublisherKey, writeManifest, writeReleaseFile } from '../../harness/releases.ts';
import { issueLicense, signUp } from '../../harness/users.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { testApp } from './start-client.ts';

const key = newPublisherKey();
const http = createHttp(fetch);
const hourMs = 60 * 60_000;

/** Counts the requests that go over the real network. */
function countingHttp(): Http & { readonly urls: string[] } {
  const urls: string[] = [];
  const send: Http['send'] = (request) => {
    urls.push(request.url);
    return http.send(request);
  };
  return { urls, send };
}

type Options = {
  readonly keys?: readonly ReturnType<typeof newPublisherKey>[] | null;
  readonly installation?: InstallationKind;
  readonly fraction?: number;
  readonly plainValues?: Map<string, string>;
  readonly battery?: number;
  readonly download?: AppUpdater['download'];
  readonly current?: string;
};

async function start(address: string, options: Options = {}) {
  const { keys = [key], installation = 'self', fraction = 0.5, battery, current = '1.0.0' } = options;
  const plainValues = options.plainValues ?? new Map<string, string>();
  const fake = createFakePlatform({ plainValues });
  const counting = countingHttp();
  const downloads: UpdateDownload[] = [];
  const installs: boolean[] = [];
  const updater: AppUpdater = {
    installation,
    platform: 'linux_amd64',
    channel: 'latest-linux.yml',
    download: options.download ?? (async (update) => void downloads.push(update)),
    install: async ({ restart }) => void installs.push(restart),
  };
  const power = { ...fake.power, readBattery: async () => (battery === undefined ? null : { level: battery }) };
  const platform = { ...fake, http: counting, power, updater, random: { ...fake.random, fraction: () => fraction } };
  const updateKeys = keys === null ? {} : { updateKeys: keys.map(({ publicJwk }) => publicJwk) };
  const app = { ...testApp, version: current };
  const client = new LicensingClient({ platform, app, defaultServerAddress: address, ...updateKeys });
  await client.start();
  onTestFinished(() => client.stop());
  return {
    client,
    clock: fake.clock,
    wake: fake.wake,
    logged: fake.logged,
    urls: counting.urls,
    downloads,
    installs,
    plainValues,
  };
}

const server = sharedHttpServer();
const published = new Set<string>();

async function publish(version: string, more: readonly string[] = [], signer = key): Promise<string> {
  const file = writeReleaseFile(server.dataFolder, version, 'App.AppImage', `app ${version}`);
  const manifest = await writeManifest(version, [file], { key: signer });
  await server.admin('installer', 'publish', version, '--feed', '--linux-amd64', file, '--manifest', manifest, ...more);
  published.add(version);
  return manifest;
}

afterEach(async () => {
  for (const version of published) await server.admin('installer', 'withdraw', version);
  published.clear();
});

/** A server that answers with the given texts, until it is stopped. */
async function startFeed(texts: Readonly<Record<string, string>>) {
  const server = createServer(({ url = '' }, response) => {
    const text = texts[url];
    response.statusCode = text === undefined ? 404 : 200;
    response.end(text ?? '{}');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(stop);
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

async function feedOf(texts: Readonly<Record<string, string>>): Promise<string> {
  return (await startFeed(texts)).address;
}

/** The feed's texts of the published version, for another server. */
async function publishedTexts(manifest: string): Promise<Record<string, string>> {
  const channel = await (await fetch(`${server.url}/updates/latest-linux.yml`)).text();
  return { '/updates/latest-linux.yml': channel, '/updates/manifest.jws': readFileSync(manifest, 'utf8') };
}

const until = async (happened: () => boolean) => expect.poll(happened).toBe(true);

describe('a check for updates', () => {
  it('finds a newer version signed by the publisher, downloads its file and restarts into it', async () => {
    await publish('2.0.0');
    const { client, clock, downloads, installs } = await start(server.url);
    expect(await client.checkForUpdates()).toMatchObject({ ok: true });
    expect(client.getState().updates).toMatchObject({
      current: '1.0.0',
      available: '2.0.0',
      staged: null,
      reason: null,
    });
    expect(await client.installUpdate()).toMatchObject({ ok: true });
    expect(downloads).toMatchObject([
      { feed: `${server.url}/updates`, version: '2.0.0', files: [{ name: 'App.AppImage', platform: 'linux_amd64' }] },
    ]);
    expect(client.getState().updates).toMatchObject({ staged: '2.0.0', working: null });
    expect(installs).toEqual([]);
    await clock.advance(1000);
    expect(installs).toEqual([true]);
  });

  it('offers neither the running version nor an older one', async () => {
    await publish('2.0.0');
    for (const current of ['2.0.0', '2.0.1', '10.0.0']) {
      const { client, downloads } = await start(server.url, { current });
      await client.checkForUpdates();
      expect(client.getState().updates).toMatchObject({ available: null, reason: 'up-to-date' });
      expect(await client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_UNAVAILABLE' } });
      expect(downloads).toEqual([]);
    }
  });

  it('refuses a manifest signed with another key, and trusts nothing with an empty list of keys', async () => {
    await publish('2.0.0', [], newPublisherKey('stolen'));
    for (const keys of [[key], [], [newPublisherKey('stolen')]]) {
      const { client, downloads } = await start(server.url, { keys });
      expect(await client.checkForUpdates()).toMatchObject({ ok: false, failure: { code: 'UPDATE_REFUSED' } });
      expect(client.getState().updates).toMatchObject({ available: null, reason: 'refused' });
      expect(await client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_REFUSED' } });
      expect(downloads).toEqual([]);
    }
  });

  it.each([
    ['is changed', (jws: string) => jws.replace(/\.([^.]*)$/, (_, signature) => `.${'A'.repeat(signature.length)}`)],
    ['is garbage', () => 'Welcome to the hotel'],
    ['is missing', () => undefined],
  ])('refuses an update whose manifest %s', async (_, change) => {
    const manifest = change(readFileSync(await publish('2.0.0'), 'utf8').trim());
    const channel = await (await fetch(`${server.url}/updates/latest-linux.yml`)).text();
    const signed: Record<string, string> = manifest === undefined ? {} : { '/updates/manifest.jws': manifest };
    const { client } = await start(await feedOf({ '/updates/latest-linux.yml': channel, ...signed }));
    expect(await client.checkForUpdates()).toMatchObject({ ok: false, failure: { code: 'UPDATE_REFUSED' } });
    expect(client.getState().updates).toMatchObject({ available: null, reason: 'refused' });
  });

  it('never goes below the highest version seen, also after a restart of the app', async () => {
    const old = readFileSync(await publish('2.0.0'), 'utf8');
    const channel = await (await fetch(`${server.url}/updates/latest-linux.yml`)).text();
    await publish('3.0.0');
    const { client, plainValues } = await start(server.url);
    await client.checkForUpdates();
    expect(client.getState().updates.available).toBe('3.0.0');
    const replay = await feedOf({ '/updates/latest-linux.yml': channel, '/updates/manifest.jws': old });
    const again = await start(replay, { plainValues });
    await again.client.checkForUpdates();
    expect(again.client.getState().updates).toMatchObject({ available: null, reason: 'older-than-seen' });
    expect(await again.client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_UNAVAILABLE' } });
    const first = await start(replay);
    await first.client.checkForUpdates();
    expect(first.client.getState().updates.available).toBe('2.0.0');
  });

  it('installs the signed file under the name that the feed offers, whatever else the feed says about it', async () => {
    const path = writeReleaseFile(server.dataFolder, '2.0.0+1', 'App Ü.AppImage', 'app');
    const other = writeReleaseFile(server.dataFolder, '2.0.0+1', 'app.deb', 'package');
    const manifest = readFileSync(await writeManifest('2.0.0+1', [path, other], { key }), 'utf8');
    const deb = await describeReleaseFile(other, 'linux_amd64');
    const file = `    sha512: ${deb.sha512}\n    size: ${deb.bytes}\n    blockMapSize: 77\n`;
    const urls = ['2.0.0%2B1/App%20%C3%9C.AppImage', '2.0.0/app.deb', '../../app.deb', '2.0.0%2B1/app.deb?', 'app.deb'];
    const channel = `version: 2.0.0+1\nfiles:\n${urls.map((url) => `  - url: ${url}\n${file}`).join('')}path: x/y\n`;
    const feed = await feedOf({ '/updates/latest-linux.yml': channel, '/updates/manifest.jws': manifest });
    const { client, downloads } = await start(feed);
    expect(await client.installUpdate()).toMatchObject({ ok: true });
    const signed = await describeReleaseFile(path, 'linux_amd64');
    expect(downloads.map(({ files }) => files)).toEqual([[{ ...signed, path: urls[0], blockMapBytes: 77 }]]);
  });

  it('offers nothing on a platform that the version has no file for', async () => {
    const file = writeReleaseFile(server.dataFolder, '2.0.0', 'App.exe', 'windows');
    const manifest = await writeManifest('2.0.0', [file], { key });
    await server.admin('installer', 'publish', '2.0.0', '--feed', '--windows-x64', file, '--manifest', manifest);
    published.add('2.0.0');
    const { client } = await start(server.url);
    await client.checkForUpdates();
    expect(client.getState().updates).toMatchObject({ available: null, reason: 'not-for-this-platform' });
  });

  describe('when a newer version is published for another platform only', () => {
    const publishWindows = async (version: string, more: readonly [string, ...string[]] | [] = []) => {
      const file = writeReleaseFile(server.dataFolder, version, 'App.exe', `windows ${version}`);
      const manifest = await writeManifest(version, [file, ...more], { key });
      await server.admin('installer', 'publish', version, '--feed', '--windows-x64', file, '--manifest', manifest);
      published.add(version);
    };

    it('finds and installs the newest version for its own platform', async () => {
      await publish('2.0.0');
      await publishWindows('3.0.0');
      const { client, downloads } = await start(server.url);
      expect(await client.installUpdate()).toMatchObject({ ok: true });
      expect(client.getState().updates).toMatchObject({ available: '2.0.0', staged: '2.0.0', reason: null });
      expect(downloads).toMatchObject([{ version: '2.0.0', files: [{ name: 'App.AppImage' }] }]);
      const newest = await start(server.url, { current: '2.0.0' });
      await newest.client.checkForUpdates();
      expect(newest.client.getState().updates).toMatchObject({ available: null, reason: 'up-to-date' });
    });

    it('finds that version at every check, even if the newer manifest lists a file for this platform that is published later', async () => {
      await publish('2.0.0');
      const later = writeReleaseFile(server.dataFolder, '3.0.0', 'App.AppImage', 'app 3.0.0');
      await publishWindows('3.0.0', [later]);
      const { client, plainValues } = await start(server.url);
      for (let check = 0; check < 2; check++) {
        await client.checkForUpdates();
        expect(client.getState().updates).toMatchObject({ available: '2.0.0', reason: null });
      }
      await server.admin('installer', 'publish', '3.0.0', '--feed', '--linux-amd64', later);
      await client.checkForUpdates();
      expect(client.getState().updates).toMatchObject({ available: '3.0.0', reason: null });
      await server.admin('installer', 'withdraw', '3.0.0');
      published.delete('3.0.0');
      const again = await start(server.url, { plainValues });
      await again.client.checkForUpdates();
      expect(again.client.getState().updates).toMatchObject({ available: null, reason: 'older-than-seen' });
    });

    it.each([
      ['signed by somebody else', (jws: string) => `${jws.slice(0, -8)}AAAAAAAA`, 'refused'],
      ['of another version', (_: string, other: string) => other, 'not-for-this-platform'],
      ['missing', () => undefined, 'not-for-this-platform'],
    ])(
      'installs nothing if the manifest of its own version is %s, and still finds the version later',
      async (_, change, reason) => {
        const own = readFileSync(await publish('2.0.0'), 'utf8').trim();
        const channel = await (await fetch(`${server.url}/updates/latest-linux.yml`)).text();
        await publishWindows('3.0.0');
        const other = await (await fetch(`${server.url}/updates/manifest.jws`)).text();
        const manifest = change(own, other);
        const feed = await feedOf({
          '/updates/latest-linux.yml': channel,
          '/updates/manifest.jws': other,
          ...(manifest === undefined ? {} : { '/updates/2.0.0/manifest.jws': manifest }),
        });
        const { client, downloads, plainValues } = await start(feed);
        expect(await client.installUpdate()).toMatchObject({ ok: false });
        expect(client.getState().updates).toMatchObject({ available: null, reason });
        expect(downloads).toEqual([]);
        const later = await start(server.url, { plainValues });
        await later.client.checkForUpdates();
        expect(later.client.getState().updates.available).toBe('2.0.0');
      },
    );
  });

  it('by the user ignores the rollout percentage, unless the publisher has stopped the version', async () => {
    await publish('2.0.0', ['--percent', '1']);
    const { client } = await start(server.url, { fraction: 0.9 });
    await client.checkForUpdates();
    expect(client.getState().updates.available).toBe('2.0.0');
    await server.admin('installer', 'rollout', '2.0.0', '--percent', '0');
    await client.checkForUpdates();
    expect(client.getState().updates).toMatchObject({ available: null, reason: 'stopped' });
    expect(await client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_UNAVAILABLE' } });
  });

  it('without keys only reports that a version exists, and where to download it in a browser', async () => {
    await publish('2.0.0');
    const { client, downloads } = await start(server.url, { keys: null });
    await client.checkForUpdates();
    expect(client.getState().updates).toMatchObject({ available: '2.0.0', reason: 'no-keys' });
    expect(await client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_UNAVAILABLE' } });
    expect(downloads).toEqual([]);
    const address = client.updates.downloadAddress;
    expect(address).toBe(`${server.url}/updates/2.0.0/App.AppImage`);
    expect(await (await fetch(address ?? '')).text()).toBe('app 2.0.0');
  });

  it.each(['https://evil.example/x', '../../admin/x', '2.0.0/..%2f', '/etc/passwd', '..//x'])(
    'opens no download outside of the feed: %s',
    async (path) => {
      const feed = await feedOf({ '/updates/latest-linux.yml': `version: 2.0.0\npath: ${path}\n` });
      const { client } = await start(feed, { keys: null });
      await client.checkForUpdates();
      expect(client.getState().updates.available).toBe('2.0.0');
      expect(client.updates.downloadAddress).toBeNull();
    },
  );

  it.each(['system-package', 'snap', 'flatpak', 'portable', 'not-packaged'] as const)(
    'leaves an installation of the kind %s alone, and reports that a version exists',
    async (installation) => {
      await publish('2.0.0');
      const { client, downloads } = await start(server.url, { installation });
      await client.checkForUpdates();
      expect(client.getState().updates).toMatchObject({ available: '2.0.0', reason: installation });
      expect(await client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_UNAVAILABLE' } });
      expect(downloads).toEqual([]);
    },
  );

  it('reports whether nothing is published, nothing responds, or something else responds', async () => {
    const empty = await start(server.url);
    expect(await empty.client.checkForUpdates()).toMatchObject({ failure: { code: 'UPDATE_NOT_PUBLISHED' } });
    expect(empty.client.getState().updates.reason).toBe('not-published');
    const gone = await start('http://127.0.0.1:9');
    expect(await gone.client.checkForUpdates()).toMatchObject({ failure: { code: 'SERVER_UNREACHABLE' } });
    expect(gone.client.getState().updates.reason).toBe('unreachable');
    const garbage = await start(await feedOf({ '/updates/latest-linux.yml': 'x', '/updates/manifest.jws': 'x' }));
    expect(await garbage.client.checkForUpdates()).toMatchObject({ failure: { code: 'UPDATE_REFUSED' } });
  });

  it('keeps offering a version that is known while the server cannot be reached', async () => {
    const { address, stop } = await startFeed(await publishedTexts(await publish('2.0.0')));
    const { client, downloads } = await start(address);
    await client.checkForUpdates();
    stop();
    for (const ask of [() => client.checkForUpdates(), () => client.installUpdate()]) {
      expect(await ask()).toMatchObject({ ok: false, failure: { code: 'SERVER_UNREACHABLE' } });
      expect(client.getState().updates).toMatchObject({
        available: '2.0.0',
        reason: null,
        working: null,
        failure: { code: 'SERVER_UNREACHABLE' },
      });
    }
    expect(downloads).toEqual([]);
  });

  it('takes the sign-in page of a network for no answer: nothing is called unsigned, and a known version stays', async () => {
    const texts = await publishedTexts(await publish('2.0.0'));
    const { client, downloads } = await start(await feedOf(texts));
    await client.checkForUpdates();
    for (const name of Object.keys(texts).toReversed()) {
      texts[name] = '<!doctype html><h1>Welcome to the hotel</h1>';
      for (const ask of [() => client.checkForUpdates(), () => client.installUpdate()]) {
        const failure = { code: 'SERVER_UNREACHABLE', respondedInstead: { kind: 'web-page', status: 200 } };
        expect(await ask()).toMatchObject({ ok: false, failure });
        expect(client.getState().updates).toMatchObject({ available: '2.0.0', reason: null, failure });
      }
    }
    expect(downloads).toEqual([]);
  });

  it('shows nothing of a server that is no longer used, and installs nothing of it', async () => {
    const texts = await publishedTexts(await publish('2.0.0'));
    const garbage = await feedOf({ '/updates/latest-linux.yml': 'x' });
    const [first, second] = [await feedOf(texts), await feedOf(texts)];
    const ended: AbortSignal[] = [];
    const download: AppUpdater['download'] = (_, signal) =>
      new Promise((_done, reject) => {
        signal.addEventListener('abort', () => {
          ended.push(signal);
          reject(new Error('cancelled'));
        });
      });
    const { client, clock, installs } = await start(garbage, { download });
    expect(await client.checkForUpdates()).toMatchObject({ ok: false });
    expect(client.getState().updates.reason).toBe('refused');
    await client.setServerAddress({ address: first });
    expect(client.getState().updates).toEqual(noUpdates('1.0.0'));
    const installing = client.installUpdate();
    await until(() => client.getState().updates.available === '2.0.0');
    await client.setServerAddress({ address: second });
    await clock.advance(0);
    expect(await installing).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    expect(ended).toHaveLength(1);
    await clock.advance(5000);
    expect(installs).toEqual([]);
    expect(client.getState().updates).toEqual(noUpdates('1.0.0'));
    await client.checkForUpdates();
    expect(client.getState().updates).toMatchObject({ available: '2.0.0', failure: null });
  });

  it.each([
    ['quits', ({ client }) => client.stop()],
    ['changes the server', ({ client }) => client.setServerAddress({ address: 'https://elsewhere.example' })],
  ] satisfies [string, (test: Awaited<ReturnType<typeof start>>) => Promise<unknown>][])(
    'does not restart the app if the user %s just before',
    async (_, act) => {
      await publish('2.0.0');
      const test = await start(server.url);
      expect(await test.client.installUpdate()).toMatchObject({ ok: true });
      await test.clock.advance(500);
      await act(test);
      await test.clock.advance(5000);
      expect(test.installs).toEqual([]);
    },
  );

  it('restarts the app once, with the version downloaded last, if the user starts it twice', async () => {
    await publish('2.0.0');
    const downloads: (() => void)[] = [];
    const download = () => new Promise<void>((done) => void downloads.push(done));
    const { client, clock, installs } = await start(server.url, { download });
    const first = client.installUpdate();
    await until(() => downloads.length === 1);
    downloads[0]?.();
    await first;
    const second = client.installUpdate();
    await until(() => downloads.length === 2);
    await clock.advance(5000);
    expect(installs, 'during the second download').toEqual([]);
    downloads[1]?.();
    expect(await second).toMatchObject({ ok: true });
    await clock.advance(5000);
    expect(installs).toEqual([true]);
  });

  it('is shown as part of the installation that it belongs to', async () => {
    const texts = await publishedTexts(await publish('2.0.0'));
    const shown: unknown[] = [];
    const address = await feedOf({
      ...texts,
      get '/updates/latest-linux.yml'() {
        shown.push(client.getState().updates.working);
        return texts['/updates/latest-linux.yml'] ?? '';
      },
    });
    const { client } = await start(address);
    await client.checkForUpdates();
    expect(await client.installUpdate()).toMatchObject({ ok: true });
    expect(shown).toEqual(['checking', 'installing']);
  });

  it('leaves the app unchanged and reports it if the installation fails', async () => {
    await publish('2.0.0');
    const download = async () => {
      throw new Error('sha512 mismatch');
    };
    const { client, installs, logged, clock } = await start(server.url, { download });
    expect(await client.installUpdate()).toMatchObject({ ok: false, failure: { code: 'UPDATE_FAILED' } });
    await clock.advance(5000);
    expect(client.getState().updates).toMatchObject({ available: '2.0.0', staged: null, reason: 'install-failed' });
    expect(installs).toEqual([]);
    expect(logged.join('\n')).toContain('sha512 mismatch');
  });

  it.each([
    ['ENOSPC: no space left on device, write', 'ENOSPC', 'disk-full'],
    ['EACCES: permission denied, rename', 'EACCES', 'no-permission'],
    ['the downloaded file is not the signed one', 'ERR_CHECKSUM_MISMATCH', 'not-signed'],
    ['net::ERR_INTERNET_DISCONNECTED', undefined, 'connection-lost'],
    ['read ECONNRESET', 'ECONNRESET', 'connection-lost'],
    ['connect ETIMEDOUT 192.0.2.7:443', 'ETIMEDOUT', 'connection-lost'],
    ['aborted', undefined, 'connection-lost'],
    ['Request timed out', undefined, 'connection-lost'],
    ['Cannot download "https://x.example/a", status 502: Bad Gateway', undefined, 'connection-lost'],
    ['Cannot download "https://x.example/a", status 404: Not Found', undefined, undefined],
    ['anything else', undefined, undefined],
  ])('says why the installation failed: %s', async (message, code, fileProblem) => {
    await publish('2.0.0');
    const download = async () => {
      throw Object.assign(new Error(message), code && { code });
    };
    const { client } = await start(server.url, { download });
    await client.installUpdate();
    const { failure } = client.getState().updates;
    expect([failure?.code, failure?.fileProblem]).toEqual(['UPDATE_FAILED', fileProblem]);
  });

  it('shows the progress of the download, and leaves the version available if the user cancels', async () => {
    await publish('2.0.0');
    const progress = { doneBytes: 4, totalBytes: 9, bytesPerSecond: 2 };
    const started: AbortSignal[] = [];
    const download: AppUpdater['download'] = (_, signal, onProgress) => {
      started.push(signal);
      onProgress(progress);
      return new Promise((_done, reject) =>
        signal.addEventListener('abort', () => {
          onProgress({ ...progress, doneBytes: 5 });
          reject(new Error('cancelled'));
        }),
      );
    };
    const { client, clock, installs } = await start(server.url, { download });
    const installing = client.installUpdate();
    await until(() => started.length === 1);
    expect(client.getState().updates).toMatchObject({ working: 'installing', progress });
    client.updates.cancel();
    expect(await installing).toMatchObject({ ok: false, failure: { code: 'CANCELED' } });
    const offered = { available: '2.0.0', staged: null, reason: null, working: null, progress: null, failure: null };
    expect(client.getState().updates).toMatchObject(offered);
    await clock.advance(5000);
    expect(installs).toEqual([]);
    const again = client.installUpdate();
    await until(() => started.length === 2);
    client.updates.cancel();
    expect(await again).toMatchObject({ failure: { code: 'CANCELED' } });
  });

  it('installs only once when requested twice at the same time', async () => {
    await publish('2.0.0');
    const { client, downloads } = await start(server.url);
    await Promise.all([client.installUpdate(), client.installUpdate(), client.checkForUpdates()]);
    expect(downloads).toHaveLength(1);
  });
});

describe('a license that includes updates until a date', () => {
  it.each([
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-02', null],
    ['2026-01-03', null],
  ])('causes a warning about a version that was released later, which is still offered: %s', async (date, expected) => {
    // Released on 2 January 2026.
    await publish('2.0.0');
    const user = await signUp(server);
    const { key: licenseKey } = await issueLicense(server, '--email', user.email, '--updates-until', date);
    const { client, downloads } = await start(server.url);
    expect(await client.signIn(user)).toMatchObject({ ok: true });
    expect(await client.activateLicense({ licenseKey })).toMatchObject({ ok: true });
    await until(() => client.getState().lease.state === 'good');
    await client.checkForUpdates();
    expect(client.getState().updates).toMatchObject({ available: '2.0.0', reason: null, featuresStopAfter: expected });
    expect(await client.installUpdate()).toMatchObject({ ok: true });
    expect(downloads).toHaveLength(1);
  });
});

describe('the automatic check', () => {
  it('runs some minutes after the start, and then once a day', async () => {
    await publish('2.0.0');
    const { client, clock, urls } = await start(server.url);
    const checks = () => urls.filter((url) => url.endsWith('latest-linux.yml')).length;
    await clock.advance(4 * 60_000);
    expect(checks()).toBe(0);
    await clock.advance(11 * 60_000);
    await until(() => client.getState().updates.available === '2.0.0');
    await clock.advance(21 * hourMs);
    expect(checks()).toBe(1);
    await clock.advance(5 * hourMs);
    await until(() => checks() === 2);
  });

  it('runs once a day on a machine that sleeps most of the day, some minutes after it has woken', async () => {
    await publish('2.0.0');
    const { client, clock, wake, urls } = await start(server.url);
    const checks = () => urls.filter((url) => url.endsWith('latest-linux.yml')).length;
    const idle = () => client.getState().updates.working === null;
    await clock.advance(20 * 60_000);
    await until(() => checks() === 1 && idle());
    clock.sleep(9 * 24 * hourMs);
    wake();
    await clock.advance(4 * 60_000);
    expect(checks()).toBe(1);
    await clock.advance(11 * 60_000);
    await until(() => checks() === 2 && idle());
    clock.sleep(8 * hourMs);
    wake();
    await clock.advance(20 * 60_000);
    expect(checks()).toBe(2);
  });

  it('runs some minutes after a start, also within a day, if a newer version was seen', async () => {
    await publish('2.0.0');
    const { client, plainValues } = await start(server.url);
    await client.checkForUpdates();
    const again = await start(server.url, { plainValues });
    expect(again.client.getState().updates.available).toBeNull();
    await again.clock.advance(20 * 60_000);
    await until(() => again.client.getState().updates.available === '2.0.0');
    const updated = await start(server.url, { plainValues, current: '2.0.0' });
    await updated.clock.advance(20 * 60_000);
    expect(updated.urls.filter((url) => url.includes('/updates/'))).toEqual([]);
  });

  it('does not take back a version that the user has found, though it is being rolled out', async () => {
    await publish('2.0.0', ['--percent', '50']);
    const { client, clock, urls } = await start(server.url, { fraction: 0.9 });
    await client.checkForUpdates();
    const asked = urls.length;
    await clock.advance(20 * 60_000);
    await until(() => urls.length > asked && client.getState().updates.working === null);
    expect(client.getState().updates).toMatchObject({ available: '2.0.0', reason: null });
  });

  it.each([
    [0.49, '2.0.0', null],
    [0.51, null, 'not-rolled-out'],
  ])('at 50 percent offers a device at %d the version %s', async (fraction, available, reason) => {
    await publish('2.0.0', ['--percent', '50']);
    const { client, clock, plainValues } = await start(server.url, { fraction });
    await clock.advance(20 * 60_000);
    await until(() => client.getState().updates.checkedAt !== null);
    expect(client.getState().updates).toMatchObject({ available, reason });
    expect(JSON.parse(plainValues.get('updates') ?? '{}')).toMatchObject({ rolloutFraction: fraction });
  });

  it('does not run on a battery below 20 percent, and is repeated within hours', async () => {
    await publish('2.0.0');
    const low = await start(server.url, { battery: 0.19 });
    await low.clock.advance(30 * 60_000);
    const full = await start(server.url, { battery: 0.21 });
    await full.clock.advance(30 * 60_000);
    await until(() => full.client.getState().updates.available === '2.0.0');
    expect(low.urls.filter((url) => url.includes('/updates/'))).toEqual([]);
    await low.client.checkForUpdates();
    expect(low.client.getState().updates.available).toBe('2.0.0');
  });
});
