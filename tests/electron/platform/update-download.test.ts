/** `electron-updater` itself downloads from the real feed what the publisher has signed, with Electron's parts in Node. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as nodeRequest } from 'node:http';
import Module from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeReleaseFile } from '../../../electron/release/release-file.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { madeUpContent, writeReleaseFile } from '../../harness/releases.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';

const folder = makeTemporaryFolder();
const appImage = join(folder, 'Latchkey.AppImage');
/** It is run once when it is in place. */
const content = Buffer.concat([Buffer.from('#!/bin/sh\nexit 0\n'), madeUpContent(300_000)]);
const electron = vi.hoisted(() => ({
  app: {
    isPackaged: true,
    getVersion: () => '1.0.0',
    getName: () => 'latchkey',
    getPath: () => '',
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

// electron-updater is CommonJS, which the mock does not reach.
const loader = Module as unknown as { _load: (name: string, ...more: unknown[]) => unknown };
const { _load: load } = loader;
beforeAll(() => {
  electron.net.request = ({ session: _session, redirect: _redirect, ...options }: Record<string, unknown>) =>
    nodeRequest(options);
  loader._load = (name, ...more) => (name === 'electron' ? electron : load(name, ...more));
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

describe('electron-updater', () => {
  it('downloads the signed file of the feed and puts it in place of the old one, and refuses one that the publisher has not signed', async () => {
    const { createSystemUpdater } = await import('../../../electron/platform/app-updater.ts');
    const file = writeReleaseFile(server.dataFolder, '2.0.0', 'App.AppImage', content);
    await server.admin('installer', 'publish', '2.0.0', '--feed', '--linux-amd64', file);
    writeFileSync(appImage, 'old');
    const updater = createSystemUpdater({ folder, log: { info: () => undefined, warn: () => undefined } });
    const feed = `${server.url}/updates`;
    const { signal } = new AbortController();
    const signed = await describeReleaseFile(file, 'linux_amd64');
    const other = { ...signed, sha512: `${'A'.repeat(86)}==` };
    await expect(updater.download({ feed, version: '2.0.0', files: [other] }, signal)).rejects.toThrow('not signed');
    await expect(updater.download({ feed, version: '3.0.0', files: [signed] }, signal)).rejects.toThrow('2.0.0');
    expect(existsSync(join(folder, 'latchkey-updater', 'pending'))).toBe(false);
    await updater.download({ feed, version: '2.0.0', files: [signed] }, signal);
    expect(readdirSync(join(folder, 'latchkey-updater', 'pending'))).toContain('App.AppImage');
    expect(readFileSync(appImage, 'utf8')).toBe('old');
    await updater.install({ restart: true });
    expect(readFileSync(appImage).equals(content)).toBe(true);
    expect(electron.app.relaunch).toHaveBeenCalledWith({ execPath: appImage, args: [] });
    expect(electron.app.quit).toHaveBeenCalledOnce();
  });
});
