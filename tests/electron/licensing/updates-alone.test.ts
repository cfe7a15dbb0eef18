/** App updates by themselves, against scripted answers of a feed: what is shown, when it asks, and how it installs. */
import { describe, expect, it } from 'vitest';
import { ChangeNotifier } from '../../../electron/licensing/change-notifier.ts';
import type { AppUpdater, Power, UpdateDownload } from '../../../electron/licensing/platform.ts';
import { Updates } from '../../../electron/licensing/updates.ts';
import { signManifest, toClaims } from '../../../electron/release/sign-manifest.ts';
import { settings } from '../../../shared/ipc/settings.ts';
import type { FileProgress } from '../../../shared/ipc/updates.ts';
import { newPublisherKey } from '../../harness/releases.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { sampleClaims } from './sample-claims.ts';

const key = newPublisherKey();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const address = 'https://licenses.example';
const channelPath = 'latest-linux.yml';
const manifestPath = 'manifest.jws';
const releasedAtMs = Date.UTC(2026, 0, 2);

const channelOf = (version: string, more = '') =>
  `version: ${version}\nfiles:\n  - url: ${version}/App.AppImage\npath: ${version}/App.AppImage\n${more}`;

function manifestOf(version: string, platform = 'linux_amd64'): string {
  const file = { name: 'App.AppImage', platform, bytes: 1, sha256: 'a'.repeat(64), sha512: `${'A'.repeat(86)}==` };
  return signManifest(toClaims({ version, releasedAtMs, files: [file], previous: undefined }), key);
}

/** The answers of a feed by path; `null` for none at all. */
type Feed = Readonly<Record<string, string | number | null>>;

const publishing = (version: string, more = ''): Feed => ({
  [channelPath]: channelOf(version, more),
  [manifestPath]: manifestOf(version),
});
const onlyForWindows: Feed = { [channelPath]: 404, [manifestPath]: manifestOf('2.0.0', 'windows_x64') };

type Options = {
  readonly feed?: Feed;
  readonly serverAddress?: string | null;
  readonly hasUpdater?: boolean;
  readonly hasKeys?: boolean;
  readonly current?: string;
  readonly fraction?: number;
  /** Until when the license includes new versions. */
  readonly updatesUntilMs?: number;
  readonly plainValues?: Map<string, string>;
  readonly updater?: Partial<AppUpdater>;
  readonly power?: Partial<Power>;
};

async function create(options: Options = {}) {
  const { hasUpdater = true, hasKeys = true, current = '1.0.0', fraction = 0.5, updatesUntilMs } = options;
  const { serverAddress = address, plainValues = new Map<string, string>() } = options;
  const fake = createFakePlatform({ plainValues });
  const { clock, http, log } = fake;
  const downloads: UpdateDownload[] = [];
  const installs: boolean[] = [];
  const updater: AppUpdater = {
    installation: 'self',
    platform: 'linux_amd64',
    channel: channelPath,
    download: async (update) => void downloads.push(update),
    install: async ({ restart }) => void installs.push(restart),
    ...options.updater,
  };
  const preferences = { serverAddress, settings: settings.parse({}) };
  const claims = sampleClaims({ issuedMs: clock.now(), endMs: clock.now() + hourMs });
  const changes = new ChangeNotifier({ clock, log });
  const updates = new Updates({
    ...fake,
    power: { ...fake.power, ...options.power },
    preferences: { current: preferences },
    changes,
    userAgent: 'test',
    signal: new AbortController().signal,
    random: { ...fake.random, fraction: () => fraction },
    lease: { claims: updatesUntilMs === undefined ? null : { ...claims, updates_until: updatesUntilMs / 1000 } },
    updater: hasUpdater ? updater : null,
    updateKeys: hasKeys ? [key.publicJwk] : null,
    current,
  });
  const serve = (feed: Feed) => {
    for (const [path, answer] of Object.entries(feed)) {
      const status = typeof answer === 'number' ? answer : 200;
      const reply: Reply = answer === null ? { fails: 'unreachable' } : { status, text: `${answer}` };
      http.on(`GET ${address}/updates/${path}`, reply);
    }
  };
  serve(options.feed ?? publishing('2.0.0'));
  await updates.load();
  return {
    updates,
    serve,
    clock,
    http,
    changes,
    downloads,
    installs,
    plainValues,
    preferences,
    logged: fake.logged,
    listensForWaking: fake.listensForWaking,
    paths: () => http.requests.map(({ url }) => url.replace(`${address}/updates/`, '')),
  };
}

/** A download that the test ends. */
function heldDownload() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begun: AbortSignal[] = [];
  const progress: ((progress: FileProgress) => void)[] = [];
  const download: AppUpdater['download'] = (_, signal, onProgress) => {
    begun.push(signal);
    progress.push(onProgress);
    return promise;
  };
  const report = () => {
    for (const onProgress of progress) onProgress({ doneBytes: 1, totalBytes: 2, bytesPerSecond: 1 });
  };
  return { updater: { download }, begun, report, end: resolve, fail: reject };
}

describe('a check', () => {
  it('asks for the channel and for one manifest, and tells the listeners what it has found', async () => {
    const { updates, paths, changes, clock } = await create();
    const shown: unknown[] = [];
    changes.subscribe(() => shown.push([updates.state.working, updates.state.available]));
    expect(await updates.check()).toEqual({ ok: true, value: null });
    await clock.advance(0);
    expect(paths()).toEqual([channelPath, manifestPath]);
    expect(shown).toEqual([[null, '2.0.0']]);
  });

  it('asks nobody without a server, and says that none is chosen', async () => {
    const { updates, http } = await create({ serverAddress: null });
    const failure = { code: 'SERVER_ADDRESS_INVALID', message: 'No server is chosen yet.' };
    expect(await updates.check()).toMatchObject({ ok: false, failure });
    expect(updates.state).toMatchObject({ failure, working: null });
    expect(http.requests).toEqual([]);
  });

  it('begins only once another one has ended', async () => {
    const { updates, http, clock, paths } = await create();
    const answer = http.hold(`GET ${address}/updates/${channelPath}`);
    const both = Promise.all([updates.check(), updates.check()]);
    await settle();
    expect(paths()).toEqual([channelPath]);
    answer({ text: channelOf('2.0.0') });
    await both;
    await clock.advance(0);
    expect(paths()).toEqual([channelPath, manifestPath, channelPath, manifestPath]);
  });

  it.each([true, false])("says that the server offers no updates, with the publisher's keys: %s", async (hasKeys) => {
    const { updates, logged } = await create({ feed: {}, hasKeys });
    const failure = { code: 'UPDATE_NOT_PUBLISHED', message: 'The server offers no updates.' };
    expect(await updates.check()).toMatchObject({ failure });
    expect(updates.state).toMatchObject({ available: null, reason: 'not-published', working: null, failure });
    expect(logged).toEqual([]);
  });

  it.each<[string, Feed, string]>([
    ['the channel is none', { [channelPath]: 'x' }, 'what it offers cannot be read'],
    ['there is no manifest', { [channelPath]: channelOf('2.0.0') }, 'it has no manifest'],
    ['the manifest is none', { ...publishing('2.0.0'), [manifestPath]: 'x' }, 'malformed'],
  ])('tells the user that nothing is installed, and the log that %s', async (_, feed, problem) => {
    const { updates, logged } = await create({ feed });
    const message = 'What the server offers was not signed by the publisher of this app. Nothing is installed.';
    expect(await updates.check()).toMatchObject({ failure: { code: 'UPDATE_REFUSED', message } });
    expect(updates.state).toMatchObject({ available: null, reason: 'refused', working: null });
    expect(logged).toEqual([`an update was refused ${JSON.stringify({ problem })}`]);
  });

  it.each<[string, Feed]>([
    ['the channel', { [channelPath]: 503 }],
    ['the manifest', { [manifestPath]: null }],
  ])(
    'calls a server unreachable that does not answer for %s, also if the app was up to date before',
    async (_, feed) => {
      const { updates, serve } = await create({ current: '2.0.0' });
      await updates.check();
      expect(updates.state.reason).toBe('up-to-date');
      serve(feed);
      expect(await updates.check()).toMatchObject({ ok: false });
      expect(updates.state).toMatchObject({ available: null, reason: 'unreachable' });
    },
  );

  it('no longer offers a version once the server offers something unsigned, nor to download it in a browser', async () => {
    const { updates, serve } = await create();
    await updates.check();
    expect(updates.downloadAddress).toBe(`${address}/updates/2.0.0/App.AppImage`);
    serve({ [manifestPath]: 'x' });
    await updates.check();
    expect(updates.state).toMatchObject({ available: null, reason: 'refused' });
    expect(updates.downloadAddress).toBeNull();
  });

  it('offers no download in a browser of the version that is running', async () => {
    const { updates } = await create({ current: '2.0.0' });
    await updates.check();
    expect(updates.downloadAddress).toBeNull();
  });

  it('accepts no older version than the highest seen, however often it is offered', async () => {
    const { updates, serve, plainValues } = await create({ feed: publishing('3.0.0') });
    await updates.check();
    serve(publishing('2.0.0'));
    for (let check = 0; check < 2; check++) {
      await updates.check();
      expect(updates.state).toMatchObject({ available: null, reason: 'older-than-seen' });
    }
    expect(JSON.parse(plainValues.get('updates') ?? '')).toMatchObject({ highestSeen: '3.0.0' });
  });

  it('takes no version for seen that is not signed, so that a feed cannot keep the signed ones away', async () => {
    const { updates, serve } = await create({ feed: { ...publishing('2.0.0'), [channelPath]: channelOf('9.0.0') } });
    await updates.check();
    expect(updates.state).toMatchObject({ available: null, reason: 'not-for-this-platform' });
    serve(publishing('2.0.0'));
    await updates.check();
    expect(updates.state).toMatchObject({ available: '2.0.0', reason: null });
  });

  it('leaves its time shown after a restart of the app, and a version that is downloaded until there is a newer one', async () => {
    const { updates, plainValues, serve, clock } = await create();
    const checkedAt = new Date(clock.now()).toISOString();
    await updates.install({ restart: false });
    await updates.check();
    expect(updates.state).toMatchObject({ available: '2.0.0', staged: '2.0.0', checkedAt });
    serve(publishing('3.0.0'));
    await updates.check();
    expect(updates.state).toMatchObject({ available: '3.0.0', staged: null });
    expect((await create({ plainValues })).updates.state).toMatchObject({ available: null, checkedAt });
  });

  it.each<[string, Options, string | null]>([
    ['is available', {}, '2026-01-01T00:00:00.000Z'],
    ['is running already', { current: '2.0.0' }, null],
    ['has no signed date', { hasKeys: false }, null],
  ])('warns of a license that does not include a version only if the version %s', async (_, options, expected) => {
    const { updates } = await create({ ...options, updatesUntilMs: Date.UTC(2026, 0, 1) });
    await updates.check();
    expect(updates.state.featuresStopAfter).toBe(expected);
  });
});

describe('an app that does not update itself', () => {
  const feed: Feed = { ...publishing('2.0.0'), 'latest.yml': channelOf('2.0.0') };

  it.each([
    [false, '2.0.0', 'no-keys'],
    [true, null, 'not-for-this-platform'],
  ])('asks the feed if the user wants it, and installs nothing; with keys: %s', async (hasKeys, available, reason) => {
    const { updates, paths } = await create({ feed, hasUpdater: false, hasKeys });
    expect(await updates.check()).toMatchObject({ ok: true });
    expect(paths()[0]).toBe('latest.yml');
    expect(updates.state).toMatchObject({ available, reason });
    const message = 'There is no update that this installation can install by itself.';
    expect(await updates.install({ restart: true })).toMatchObject({
      failure: { code: 'UPDATE_UNAVAILABLE', message },
    });
  });

  it('never checks automatically', async () => {
    const { updates, clock, http } = await create({ feed, hasUpdater: false });
    updates.start();
    await clock.advance(48 * hourMs);
    expect(http.requests).toEqual([]);
  });
});

describe('the automatic check', () => {
  it('waits on a low battery and is repeated within hours; at 20 percent it runs', async () => {
    let level = 0.19;
    const power = { readBattery: async () => ({ level }) };
    const { updates, clock, paths } = await create({ fraction: 0.25, power });
    updates.start();
    await clock.advance(30 * minuteMs);
    level = 0.2;
    expect(paths()).toEqual([]);
    await clock.advance(2 * hourMs);
    expect(updates.state.available).toBe('2.0.0');
  });

  it('runs on a machine that has no report of its battery', async () => {
    const { updates, clock } = await create();
    updates.start();
    await clock.advance(15 * minuteMs);
    expect(updates.state.available).toBe('2.0.0');
  });

  it('runs some minutes after the first start, even if the clock of the machine has lost its date', async () => {
    const { updates, clock } = await create();
    clock.setWall(0);
    updates.start();
    await clock.advance(15 * minuteMs);
    expect(updates.state.available).toBe('2.0.0');
  });

  it('runs after a restart of the app when a day has passed since the last one', async () => {
    const { updates, plainValues } = await create({ current: '2.0.0' });
    await updates.check();
    const again = await create({ current: '2.0.0', plainValues });
    again.clock.setWall(again.clock.now() + 20 * hourMs);
    again.updates.start();
    await again.clock.advance(3 * hourMs);
    expect(again.paths()).toEqual([]);
    await again.clock.advance(2 * hourMs);
    expect(again.paths()).toEqual([channelPath, manifestPath]);
  });

  it('shows no failure while no server is chosen, and runs within hours of the choice', async () => {
    const { updates, clock, preferences } = await create({ serverAddress: null });
    updates.start();
    await clock.advance(15 * minuteMs);
    expect(updates.state.failure).toBeNull();
    preferences.serverAddress = address;
    await clock.advance(3 * hourMs);
    expect(updates.state.available).toBe('2.0.0');
  });

  it('is repeated within one to three hours if the server does not answer, and then after a day', async () => {
    const { updates, serve, clock, paths } = await create({ feed: { [channelPath]: null }, fraction: 0.25 });
    const checks = () => paths().filter((path) => path === channelPath).length;
    updates.start();
    await clock.advance(15 * minuteMs);
    expect(checks()).toBe(1);
    serve(publishing('2.0.0'));
    await clock.advance(hourMs);
    expect(checks()).toBe(1);
    await clock.advance(2 * hourMs);
    expect([checks(), updates.state.available]).toEqual([2, '2.0.0']);
    await clock.advance(20 * hourMs);
    expect(checks()).toBe(2);
    await clock.advance(6 * hourMs);
    expect(checks()).toBe(3);
  });

  it('finds that a version is published for other platforms only', async () => {
    const { updates, clock } = await create({ feed: onlyForWindows });
    updates.start();
    await clock.advance(15 * minuteMs);
    expect(updates.state).toMatchObject({ available: null, reason: 'not-for-this-platform', working: null });
  });

  it('does not run during an installation', async () => {
    const held = heldDownload();
    const { updates, clock, paths } = await create({ updater: held.updater });
    updates.start();
    const installing = updates.install({ restart: false });
    await clock.advance(15 * minuteMs);
    expect([held.begun.length, paths()]).toEqual([1, [channelPath, manifestPath]]);
    held.end();
    expect(await installing).toMatchObject({ ok: true });
  });

  it('ends with the app: no timer and no listener is left', async () => {
    const { updates, clock, listensForWaking } = await create();
    updates.start();
    expect([clock.pendingTimers(), listensForWaking()]).toEqual([1, true]);
    updates.stop();
    expect([clock.pendingTimers(), listensForWaking()]).toEqual([0, false]);
  });
});

describe('an installation', () => {
  it('asked for by the user does not wait until the version is rolled out to this device', async () => {
    const feed = publishing('2.0.0', 'stagingPercentage: 10\n');
    const { updates, downloads } = await create({ feed });
    expect(await updates.install({ restart: false })).toMatchObject({ ok: true });
    expect(downloads).toMatchObject([{ version: '2.0.0', files: [{ path: '2.0.0/App.AppImage' }] }]);
  });

  it('without a restart is done at once, and only once', async () => {
    const { updates, clock, installs } = await create();
    expect(await updates.install({ restart: false })).toEqual({ ok: true, value: null });
    expect(installs).toEqual([false]);
    await clock.advance(5000);
    expect(installs).toEqual([false]);
  });

  it.each([false, true])(
    'that fails at its end is reported, and the app goes on; with a restart: %s',
    async (restart) => {
      const install = () => Promise.reject(new Error('the file changed'));
      const { updates, clock, logged } = await create({ updater: { install } });
      const failure = { code: 'UPDATE_FAILED', message: 'The update was not installed. Version 1.0.0 goes on.' };
      expect(await updates.install({ restart })).toMatchObject(restart ? { ok: true } : { ok: false, failure });
      await clock.advance(1000);
      expect(updates.state).toMatchObject({ available: '2.0.0', staged: null, reason: 'install-failed', failure });
      expect(logged).toEqual(['the update was not installed {"error":"the file changed"}']);
    },
  );

  it('is reported also if what is thrown is no error', async () => {
    // A library may reject with anything.
    const download = () => Promise.reject('no network' as never);
    const { updates, logged } = await create({ updater: { download } });
    expect(await updates.install({ restart: false })).toMatchObject({ failure: { code: 'UPDATE_FAILED' } });
    expect(logged).toEqual(['the update was not installed {"error":"no network"}']);
  });

  it('ends after two hours, even if the download never does, and then shows no progress of it', async () => {
    const held = heldDownload();
    const { updates, clock, logged, installs } = await create({ updater: held.updater });
    const done: unknown[] = [];
    void updates.install({ restart: true }).then((result) => done.push(result));
    await clock.advance(2 * hourMs - minuteMs);
    held.report();
    expect(updates.state).toMatchObject({ working: 'installing', progress: { doneBytes: 1 } });
    await clock.advance(minuteMs);
    expect(done).toMatchObject([{ ok: false, failure: { code: 'UPDATE_FAILED' } }]);
    expect(held.begun.map(({ aborted }) => aborted)).toEqual([true]);
    held.report();
    expect(updates.state).toMatchObject({ working: null, progress: null, reason: 'install-failed' });
    expect(logged.join()).toContain('the download took too long');
    expect(installs).toEqual([]);
  });

  it('that is canceled ends only with its download, so that the next one does not disturb it', async () => {
    const held = heldDownload();
    const { updates } = await create({ updater: held.updater });
    const first = updates.install({ restart: true });
    await settle();
    updates.cancel();
    await settle();
    const second = updates.install({ restart: true });
    await settle();
    expect([updates.state.working, held.begun.length]).toEqual(['installing', 1]);
    held.fail(new Error('cancelled'));
    const canceled = { ok: false, failure: { code: 'CANCELED', message: 'The update was canceled.' } };
    expect(await Promise.all([first, second])).toMatchObject([canceled, canceled]);
    expect(updates.state).toMatchObject({ working: null, available: '2.0.0', reason: null });
  });

  it('ends with the app, also while it downloads, and installs nothing then', async () => {
    const held = heldDownload();
    const { updates, clock, installs } = await create({ updater: held.updater });
    const installing = updates.install({ restart: true });
    await settle();
    updates.stop();
    expect(held.begun.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await installing).toMatchObject({ ok: false, failure: { code: 'UPDATE_FAILED' } });
    held.end();
    await clock.advance(5000);
    expect(installs).toEqual([]);
  });

  it('need not be in progress to be canceled', async () => {
    const { updates } = await create();
    updates.cancel();
    expect(await updates.install({ restart: false })).toMatchObject({ ok: true });
  });

  it.each([
    ['done', undefined],
    ['failed', 'the disk is full'],
  ])('leaves no timer when its download is %s', async (_, problem) => {
    const download = async () => {
      if (problem !== undefined) throw new Error(problem);
    };
    const { updates, clock } = await create({ updater: { download } });
    expect((await updates.install({ restart: false })).ok).toBe(problem === undefined);
    await clock.advance(0);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('downloads nothing if the user changes the server during its check', async () => {
    const { updates, http, preferences, downloads } = await create();
    const answer = http.hold(`GET ${address}/updates/${channelPath}`);
    const installing = updates.install({ restart: false });
    await settle();
    preferences.serverAddress = 'https://elsewhere.example';
    answer({ text: channelOf('2.0.0') });
    expect(await installing).toMatchObject({ ok: false });
    expect(downloads).toEqual([]);
  });
});
