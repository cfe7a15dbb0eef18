/**
 * The real `electron-updater` on macOS, whose own updater refuses the update only once it is downloaded, with Electron's
 * parts replaced by Node.
 */
import { EventEmitter } from 'node:events';
import { createServer, request as nodeRequest } from 'node:http';
import Module from 'node:module';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeReleaseFile } from '../../../electron/release/release-file.ts';
import { madeUpContent, writeReleaseFile } from '../../harness/releases.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const electron = vi.hoisted(() => ({
  app: {
    isPackaged: true,
    getVersion: () => '1.0.0',
    getName: () => 'latchkey',
    getPath: () => process.env.HOME,
    getAppPath: () => '',
    whenReady: async () => undefined,
  },
  powerMonitor: {},
  session: { fromPartition: () => ({}) },
  net: {},
  autoUpdater: {},
}));
vi.mock('electron', () => electron);
const { createSystemUpdater } = await import('../../../electron/platform/app-updater.ts');

/** electron-updater is CommonJS, which the mock does not reach, and chooses its updater once, by the system. */
function pretendMacOs(home: string): void {
  const loader = Module as unknown as { _load: (name: string, ...more: unknown[]) => unknown };
  const { _load: load } = loader;
  const { platform } = process;
  loader._load = (name, ...more) => (name === 'electron' ? electron : load(name, ...more));
  Object.defineProperty(process, 'platform', { value: 'darwin' });
  Object.assign(process.versions, { electron: process.versions.electron ?? '45.0.0' });
  // For its cache, and its id for staged roll-outs.
  vi.stubEnv('HOME', home);
  onTestFinished(() => {
    loader._load = load;
    Object.defineProperty(process, 'platform', { value: platform });
    vi.unstubAllEnvs();
  });
}

/** A feed that answers each request with this content. */
async function startFeed(content: Buffer): Promise<string> {
  const feed = createServer((_, response) => void response.end(content));
  await new Promise<void>((listening) => feed.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    feed.close();
    feed.closeAllConnections();
  });
  return `http://127.0.0.1:${(feed.address() as AddressInfo).port}/updates`;
}

it('an update that macOS refuses after its download fails, rather than be awaited for ever', async () => {
  const folder = temporaryFolder();
  pretendMacOs(folder);
  const refused = new Error('Cannot update while running on a read-only volume.');
  const native = Object.assign(new EventEmitter(), {
    setFeedURL: vi.fn(),
    checkForUpdates: vi.fn(() => void native.emit('error', refused)),
  });
  electron.autoUpdater = native;
  Object.assign(electron.net, {
    request: ({ session: _session, redirect: _redirect, ...options }: Record<string, unknown>) => nodeRequest(options),
  });
  const updater = createSystemUpdater({ folder, log: { info: () => undefined, warn: () => undefined } });
  const content = madeUpContent(10_000);
  const path = writeReleaseFile(folder, '2.0.0', 'App.zip', content);
  const file = { ...(await describeReleaseFile(path, 'macos_arm64')), path: '2.0.0/App.zip', blockMapBytes: null };
  const update = { feed: await startFeed(content), version: '2.0.0', files: [file] };
  await updater.download(update, new AbortController().signal, () => undefined);
  expect(native.checkForUpdates).not.toHaveBeenCalled();
  await expect(updater.install({ restart: true })).rejects.toBe(refused);
});
