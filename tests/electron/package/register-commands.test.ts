/** The package's commands respond only to the page of the given origin, until they are removed. */
import { expect, it, vi } from 'vitest';
import type { LicensingClient } from '../../../electron/package/create-licensing-client.ts';
import { commandChannel, stateChannel } from '../../../shared/ipc/channels.ts';
import { succeed } from '../../../shared/ipc/result.ts';

type Listener = (event: object, ...input: unknown[]) => Promise<unknown>;

const electron = vi.hoisted(() => ({ listeners: new Map<string, unknown>() }));
vi.mock('electron', () => ({
  app: {},
  net: {},
  powerMonitor: {},
  safeStorage: {},
  session: {},
  ipcMain: {
    handle: (channel: string, listener: unknown) => electron.listeners.set(channel, listener),
    removeHandler: (channel: string) => electron.listeners.delete(channel),
  },
}));
const { registerCommands } = await import('../../../electron/package/electron.ts');
const { pageCommandNames } = await import('../../../electron/package/page-command-names.ts');

function setUp(origin = 'app://sketcher') {
  const signIn = vi.fn(async () => succeed(null));
  const verifyInstaller = vi.fn(async () => succeed(null));
  const client = {
    lease: {},
    signIn,
    verifyInstaller,
    subscribe: (listener: (state: object) => void) => {
      notify = listener;
      return () => {
        notify = () => {};
      };
    },
  } as unknown as LicensingClient;
  let notify = (_state: object) => {};
  const webContents = { mainFrame: { url: 'app://sketcher/index.html' }, send: vi.fn() };
  const window = { isDestroyed: () => false, webContents };
  const end = registerCommands(client, { window, origin });
  const call = (url: string, input: unknown, name: 'signIn' | 'verifyInstaller' = 'signIn') => {
    const listener = electron.listeners.get(commandChannel(name)) as Listener;
    return listener({ sender: webContents, senderFrame: { url, parent: null } }, input);
  };
  return { signIn, verifyInstaller, call, end, webContents, notify: (state: object) => notify(state) };
}

const input = { email: 'ada@example.org', password: 'quiet harbor lantern 47' };

it('commands are rejected from a page of another origin, and with an invalid argument', async () => {
  const { call, signIn, end } = setUp();
  expect(await call('https://evil.example/', input)).toMatchObject({ ok: false });
  expect(await call('app://sketcher/index.html', { email: 7 })).toMatchObject({ ok: false });
  expect(signIn).not.toHaveBeenCalled();
  expect(await call('app://sketcher/index.html', input)).toEqual({ ok: true, value: null });
  expect(signIn).toHaveBeenCalledWith(input);
  end();
});

it('a page cannot make the app sign in to a host of its choice by the network path of an installer', async () => {
  const { call, verifyInstaller, end } = setUp();
  const verify = (path: string) => call('app://sketcher/index.html', { path }, 'verifyInstaller');
  for (const path of [
    '\\\\evil.example\\share\\x.exe',
    '//evil.example/share/x.exe',
    '\\\\?\\UNC\\evil.example\\x.exe',
  ]) {
    expect(await verify(path), path).toMatchObject({ ok: false });
  }
  expect(verifyInstaller).not.toHaveBeenCalled();
  for (const path of ['C:\\Users\\Ada\\Sketcher.exe', '/home/ada/Sketcher.AppImage']) {
    expect(await verify(path), path).toMatchObject({ ok: true });
  }
  end();
});

it.each(['app://sketcher/', 'app://sketcher/index.html'])('the origin may be given as %s', async (origin) => {
  const { call, end } = setUp(origin);
  expect(await call('app://sketcher/index.html', input)).toEqual({ ok: true, value: null });
  end();
});

it.each(['', 'sketcher', '/index.html'])(
  'an invalid origin (%s) throws a TypeError instead of silently refusing every call',
  (origin) => {
    expect(() => setUp(origin)).toThrow(TypeError);
  },
);

it('a page of another origin in the window gets no state', () => {
  const { notify, webContents, end } = setUp();
  for (const url of ['https://evil.example/', 'app://sketcher.evil.example/', '']) {
    webContents.mainFrame.url = url;
    notify({ a: 1 });
  }
  expect(webContents.send).not.toHaveBeenCalled();
  webContents.mainFrame.url = 'app://sketcher/other.html';
  notify({ a: 2 });
  expect(webContents.send).toHaveBeenCalledExactlyOnceWith(stateChannel, { a: 2 });
  end();
});

it('the window gets each state until the commands are removed, which leaves no handler behind', () => {
  const { notify, webContents, end } = setUp();
  expect(electron.listeners.size).toBe(pageCommandNames.length);
  notify({ a: 1 });
  expect(webContents.send).toHaveBeenCalledExactlyOnceWith(stateChannel, { a: 1 });
  end();
  notify({ a: 2 });
  expect(webContents.send).toHaveBeenCalledTimes(1);
  expect(electron.listeners.size).toBe(0);
});
