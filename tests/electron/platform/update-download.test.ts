/**
 * The real `electron-updater` downloads what the publisher signed from the real feed, with Electron's parts replaced by
 * Node.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, request as nodeRequest, type RequestListener } from 'node:http';
import Module from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { OfferedFile } from '../../../electron/licensing/platform.ts';
import { describeReleaseFile } from '../../../electron/release/release-file.ts';
import type { FileProgress } from '../../../shared/ipc/updates.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { madeUpContent, writeReleaseFile } from '../../harness/releases.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';

const folder = makeTemporaryFolder();
const appImage = join(folder, 'Latchkey.AppImage');
/** A script, because the updater runs it once it is in place. */
const content = Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), madeUpContent(300_000)]);
const electron = vi.hoisted(() => ({
  app: {
    isPackaged: true,
    getVersion: () => '1.0.0',
    getName: () => 'latchkey',
    getPath: (): string => '',
    getAppPath: () => '',
    whenReady: async () => undefined,
    on: () => undefined,
    once: () => undefined,
    quit: vi.fn(),
    relaunch: vi.fn(),
  },
  powerMonitor: {},
  session: { fromPartition: () => ({}) },
  net: { request: undefined as unknown },
}));
vi.mock('electron', () => electron);
vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs')>();
  return { ...original, linkSync: vi.fn(original.linkSync) };
});

// electron-updater is CommonJS, which the mock does not reach.
const loader = Module as unknown as { _load: (name: string, ...more: unknown[]) => unknown };
const { _load: load } = loader;
beforeAll(() => {
  electron.net.request = ({ session: _session, redirect: _redirect, ...options }: Record<string, unknown>) =>
    nodeRequest(options);
  loader._load = (name, ...more) => (name === 'electron' ? electron : load(name, ...more));
  // The updater writes its id for staged roll-outs there.
  electron.app.getPath = () => folder;
  process.env.XDG_CACHE_HOME = folder;
  Object.assign(process.versions, { electron: process.versions.electron ?? '45.0.0' });
  Object.assign(process, { resourcesPath: folder });
  process.env.APPIMAGE = appImage;
});
afterAll(() => {
  loader._load = load;
  removeFolder(folder);
});

const server = sharedHttpServer();

const { createSystemUpdater, findDownloads } = await import('../../../electron/platform/app-updater.ts');
const updater = createSystemUpdater({ folder, log: { info: () => undefined, warn: () => undefined } });
const pending = join(folder, 'latchkey-updater', 'pending');
const { signal } = new AbortController();
const ignore = () => undefined;

/** The file as it is offered once the manifest is verified. */
async function describeOffered(path: string): Promise<OfferedFile> {
  const file = await describeReleaseFile(path, 'linux_amd64');
  return { ...file, path: `2.0.0/${file.name}`, blockMapBytes: null };
}

/** A feed controlled by an attacker; records the requests of electron-updater. */
async function startHostileFeed(answer: RequestListener): Promise<{ feed: string; asked: string[] }> {
  const asked: string[] = [];
  const hostile = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((listening) => hostile.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    hostile.closeAllConnections();
    hostile.close();
  });
  return { feed: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/updates`, asked };
}

beforeEach(() => {
  removeFolder(pending);
  writeFileSync(appImage, 'old');
});

describe('electron-updater', () => {
  it('downloads the signed file of the feed and puts it in place of the old one', async () => {
    const path = writeReleaseFile(server.dataFolder, '2.0.0', 'App.AppImage', content);
    await server.admin('installer', 'publish', '2.0.0', '--feed', '--linux-amd64', path);
    const feed = `${server.url}/updates`;
    const file = await describeOffered(path);
    const other = { ...file, sha512: `${'A'.repeat(86)}==` };
    await expect(updater.download({ feed, version: '2.0.0', files: [other] }, signal, ignore)).rejects.toThrow(
      'mismatch',
    );
    const missing = { ...file, path: '3.0.0/App.AppImage' };
    await expect(updater.download({ feed, version: '3.0.0', files: [missing] }, signal, ignore)).rejects.toThrow('404');
    expect(readdirSync(pending)).toEqual([]);
    const progress = vi.fn<(progress: FileProgress) => void>();
    await updater.download({ feed, version: '2.0.0', files: [file] }, signal, progress);
    const totalBytes = content.length;
    expect(progress.mock.calls[0]).toEqual([{ doneBytes: 0, totalBytes, bytesPerSecond: 0 }]);
    expect(progress.mock.lastCall).toEqual([{ doneBytes: totalBytes, totalBytes, bytesPerSecond: expect.any(Number) }]);
    expect(readdirSync(join(findDownloads(), 'pending'))).toContain('App.AppImage');
    expect(readFileSync(appImage, 'utf8')).toBe('old');
    await updater.install({ restart: true });
    expect(readFileSync(appImage).equals(content)).toBe(true);
    expect(electron.app.relaunch).toHaveBeenCalledWith({ execPath: appImage, args: [] });
    expect(electron.app.quit).toHaveBeenCalledOnce();
  });

  it('keeps the old file if the new one cannot be put in its place, and the next attempt succeeds', async () => {
    const path = writeReleaseFile(server.dataFolder, '2.1.0', 'App.AppImage', content);
    await server.admin('installer', 'publish', '2.1.0', '--feed', '--linux-amd64', path);
    const files = [{ ...(await describeOffered(path)), path: '2.1.0/App.AppImage' }];
    await updater.download({ feed: `${server.url}/updates`, version: '2.1.0', files }, signal, ignore);
    // Fails as `mv` does on a full disk.
    const programs = join(folder, 'programs');
    mkdirSync(programs, { recursive: true });
    writeFileSync(
      join(programs, 'mv'),
      `#!/bin/sh\necho once >> ${join(folder, 'moved')}\nhead -c 1000 "$2" > "$3"\nexit 1\n`,
      { mode: 0o755 },
    );
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(updater.install({ restart: false })).rejects.toThrow('could not be replaced');
    expect(readFileSync(join(folder, 'moved'), 'utf8')).toBe('once\n');
    expect(readFileSync(appImage, 'utf8')).toBe('old');
    expect(readdirSync(folder).filter((name) => name.endsWith('.previous'))).toEqual([]);

    vi.unstubAllEnvs();
    await updater.download({ feed: `${server.url}/updates`, version: '2.1.0', files }, signal, ignore);
    await updater.install({ restart: false });
    expect(readFileSync(appImage).equals(content)).toBe(true);
  });

  it('writes through no link that another user of the folder puts in the place of the copy', async () => {
    const path = writeReleaseFile(server.dataFolder, '2.1.1', 'App.AppImage', content);
    await server.admin('installer', 'publish', '2.1.1', '--feed', '--linux-amd64', path);
    const files = [{ ...(await describeOffered(path)), path: '2.1.1/App.AppImage' }];
    await updater.download({ feed: `${server.url}/updates`, version: '2.1.1', files }, signal, ignore);
    const precious = join(folder, 'precious');
    writeFileSync(precious, 'precious');
    vi.mocked(linkSync).mockImplementationOnce((_old, kept) => {
      symlinkSync(precious, kept);
      throw Object.assign(new Error('EEXIST: file already exists, link'), { code: 'EEXIST' });
    });
    await expect(updater.install({ restart: false })).rejects.toThrow('EEXIST');
    expect(readFileSync(precious, 'utf8')).toBe('precious');
    expect(readFileSync(appImage, 'utf8')).toBe('old');
  });

  it('does not install a file that was changed after its download', async () => {
    const path = writeReleaseFile(server.dataFolder, '2.2.0', 'App.AppImage', content);
    await server.admin('installer', 'publish', '2.2.0', '--feed', '--linux-amd64', path);
    const files = [{ ...(await describeOffered(path)), path: '2.2.0/App.AppImage' }];
    await updater.download({ feed: `${server.url}/updates`, version: '2.2.0', files }, signal, ignore);
    writeFileSync(join(pending, 'App.AppImage'), '#!/bin/sh\necho swapped\n');
    await expect(updater.install({ restart: false })).rejects.toThrow('is not the signed one');
    expect(readFileSync(appImage, 'utf8')).toBe('old');
  });

  it.each([
    ['its own name', 'Latchkey.AppImage', '2.3.0', 'App.AppImage'],
    ['the name of the new version', 'Latchkey-1.0.0.AppImage', '2.4.0', 'App-2.4.0.AppImage'],
  ])('keeps the old file if only half of the new one is written, under %s', async (_, oldName, version, newName) => {
    const old = join(folder, oldName);
    writeFileSync(old, 'old');
    const path = writeReleaseFile(server.dataFolder, version, newName, content);
    await server.admin('installer', 'publish', version, '--feed', '--linux-amd64', path);
    const files = [{ ...(await describeOffered(path)), path: `${version}/${newName}` }];
    vi.stubEnv('APPIMAGE', old);
    onTestFinished(() => void vi.unstubAllEnvs());
    await updater.download({ feed: `${server.url}/updates`, version, files }, signal, ignore);
    // A `mv` that copies only half of the file and still reports success.
    const programs = join(folder, 'half');
    mkdirSync(programs, { recursive: true });
    writeFileSync(join(programs, 'mv'), '#!/bin/sh\nhead -c 150000 "$2" > "$3"\nchmod 755 "$3"\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env.PATH}`);
    await expect(updater.install({ restart: false })).rejects.toThrow('is not the signed one');
    expect(readFileSync(old, 'utf8')).toBe('old');
    const names = readdirSync(folder);
    expect(names).not.toContain(newName);
    expect(names).not.toContain(`${oldName}.previous`);
  });

  it('does not accept the signed Debian package as the AppImage, whatever the feed offers and sends', async () => {
    const packagePath = writeReleaseFile(folder, '2.0.0', 'app.deb', '!<arch> a Debian package');
    const image = writeReleaseFile(folder, '2.0.0', 'App.AppImage', content);
    const [deb, file] = [await describeOffered(packagePath), await describeOffered(image)];
    const channel = `version: 2.0.0\nfiles:\n  - url: 2.0.0/App.AppImage\n    sha512: ${deb.sha512}\n    size: ${deb.bytes}\n`;
    const { feed, asked } = await startHostileFeed(({ url = '' }, response) => {
      response.end(url.includes('.yml') ? channel : readFileSync(packagePath));
    });
    await expect(updater.download({ feed, version: '2.0.0', files: [deb, file] }, signal, ignore)).rejects.toThrow(
      'mismatch',
    );
    expect(asked).toEqual(['/updates/2.0.0/App.AppImage']);
    await expect(updater.download({ feed, version: '2.0.0', files: [deb] }, signal, ignore)).rejects.toThrow(
      'no signed file',
    );
    expect(readFileSync(appImage, 'utf8')).toBe('old');
  });

  it.each([
    ['the whole file', null],
    ['its block map, and then the whole file', 1000],
  ])('ends a download of %s that is longer than the signed size', async (_, blockMapBytes) => {
    const path = writeReleaseFile(folder, '2.0.0', 'App.AppImage', content);
    const file = { ...(await describeOffered(path)), blockMapBytes };
    const endless = startEndless();
    const { feed, asked } = await startHostileFeed(endless.answer);
    await expect(updater.download({ feed, version: '2.0.0', files: [file] }, signal, ignore)).rejects.toThrow(
      'more than',
    );
    expect(asked).toHaveLength(blockMapBytes === null ? 1 : 2);
    await expect.poll(endless.open).toBe(0);
    expect(endless.sentBytes()).toBeLessThan(64 * 1024 * 1024);
    expect(readdirSync(pending)).toEqual([]);
  });

  it('ends a canceled download', async () => {
    const path = writeReleaseFile(folder, '2.0.0', 'App.AppImage', content);
    const file = { ...(await describeOffered(path)), bytes: 2 ** 40 };
    const endless = startEndless();
    const { feed } = await startHostileFeed(endless.answer);
    const ending = new AbortController();
    const download = updater.download({ feed, version: '2.0.0', files: [file] }, ending.signal, ignore);
    await expect.poll(endless.open).toBe(1);
    ending.abort();
    await expect(download).rejects.toThrow('cancelled');
    await expect.poll(endless.open).toBe(0);
    expect(endless.sentBytes()).toBeLessThan(maxSentBytes);
  });
});

const maxSentBytes = 2 ** 30;

/** Sends for as long as the other side reads, up to a gibibyte. */
function startEndless() {
  let [open, sent] = [0, 0];
  const chunk = Buffer.alloc(256 * 1024);
  const answer: RequestListener = ({ headers }, response) => {
    open++;
    response.on('close', () => void open--);
    response.writeHead(headers.range === undefined ? 200 : 206, { 'accept-ranges': 'bytes' });
    const send = () => {
      if (response.destroyed || sent >= maxSentBytes) return void response.end();
      sent += chunk.length;
      if (response.write(chunk)) setImmediate(send);
      else response.once('drain', send);
    };
    send();
  };
  return { answer, open: () => open, sentBytes: () => sent };
}
