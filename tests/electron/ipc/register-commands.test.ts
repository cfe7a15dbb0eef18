/** Every command is connected to its implementation, responds only to our own page, and never returns a stack trace. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { handleCommand, isOwnPage } from '../../../electron/ipc/handle-command.ts';
import { commandChannel } from '../../../shared/ipc/channels.ts';
import { type CommandHandlers, type CommandName, commandNames, ipcSchema } from '../../../shared/ipc/ipc-schema.ts';
import { succeed } from '../../../shared/ipc/result.ts';

type Listener = (event: Electron.IpcMainInvokeEvent, ...input: unknown[]) => Promise<unknown>;

const handle = vi.hoisted(() => vi.fn<(channel: string, listener: Listener) => void>());
vi.mock('electron', () => ({ ipcMain: { handle } }));
const { registerCommands } = await import('../../../electron/ipc/register-commands.ts');

const at = '2026-01-02T00:00:00.000Z';
const ownOrigin = 'app://latchkey';
const page = 'app://latchkey/index.html';
const contents = {};
const createWindow = (destroyed = false) => ({ isDestroyed: () => destroyed, webContents: contents });
const eventFrom = (url: string, parent: object | null = null) => ({ sender: contents, senderFrame: { url, parent } });
const event = eventFrom(page) as unknown as Electron.IpcMainInvokeEvent;

function createGuard() {
  return { window: createWindow(), ownOrigin, now: () => Date.parse(at), log: { info: vi.fn(), warn: vi.fn() } };
}

function listen(name: CommandName, run: (input: unknown) => unknown) {
  const guard = createGuard();
  return { listener: handleCommand({ name, input: ipcSchema[name].input, run }, guard), log: guard.log };
}

describe('registering the commands', () => {
  it('connects each command of the schema as a method, the desktop’s before the client’s', async () => {
    class Client {
      readonly name = 'client';
      async signOut(input: unknown) {
        return [this.name, input];
      }
    }
    class Desktop {
      readonly name = 'desktop';
      async copyApiKey() {
        return [this.name];
      }
    }
    registerCommands(new Client() as unknown as CommandHandlers, new Desktop() as object, createGuard());
    const listeners = new Map(handle.mock.calls);
    expect([...listeners.keys()]).toEqual(commandNames.map(commandChannel));
    expect(await listeners.get('latchkey:signOut')?.(event, { allDevices: true })).toEqual([
      'client',
      { allDevices: true },
    ]);
    expect(await listeners.get('latchkey:copyApiKey')?.(event)).toEqual(['desktop']);
  });
});

describe('a command', () => {
  it('passes the parsed input to its implementation and returns the result', async () => {
    const run = vi.fn(async () => succeed(null));
    const { listener } = listen('signIn', run);
    const input = { email: 'a@example.org', password: 'p', more: 1 };
    expect(await listener(event, input)).toEqual({ ok: true, value: null });
    expect(run).toHaveBeenCalledWith({ email: 'a@example.org', password: 'p' });
  });

  it('fails for a page that is not ours, without running', async () => {
    const run = vi.fn();
    const { listener } = listen('getState', run);
    expect(await listener(eventFrom('https://example.org/'), undefined)).toMatchObject({
      ok: false,
      failure: { code: 'INTERNAL', at },
    });
    expect(run).not.toHaveBeenCalled();
  });

  it.each([
    ['signIn', undefined],
    ['signIn', { email: 'a' }],
    ['signIn', { email: 1, password: 'p' }],
    ['signIn', { email: 'a'.repeat(401), password: 'p' }],
    ['getState', {}],
    ['openLink', { name: 'https://evil.example' }],
    ['openLink', { name: 'javascript:alert(1)' }],
    ['changeSettings', { heartbeatIntervalSeconds: 1 }],
    ['verifyInstaller', { path: 'x'.repeat(5000) }],
    ['generateApiKey', { replace: 'yes' }],
  ] as const)('%s fails for the invalid argument %j', async (name, input) => {
    const run = vi.fn();
    const { listener } = listen(name, run);
    expect(await listener(event, input)).toMatchObject({ ok: false, failure: { code: 'VALIDATION_ERROR', at } });
    expect(run).not.toHaveBeenCalled();
  });

  it('fails for a second argument', async () => {
    const { listener } = listen('releaseDevice', vi.fn());
    expect(await listener(event, { activationId: 'a' }, 'b')).toMatchObject({ ok: false });
  });

  it('turns an error of its implementation into a failure without the cause', async () => {
    const { listener, log } = listen('syncNow', () => Promise.reject(new Error('at /secret/path')));
    const result = await listener(event, undefined);
    expect(result).toEqual({ ok: false, failure: { code: 'INTERNAL', message: 'Something went wrong.', at } });
    expect(log.warn).toHaveBeenCalledOnce();
  });

  it('never rejects, whatever it is called with', async () => {
    const input = fc.anything({ withBigInt: true, withMap: true, withDate: true, withTypedArray: true });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...commandNames), input, async (name, given) => {
        const run = vi.fn(() => succeed(null));
        await listen(name, run).listener(event, given);
        expect(run).toHaveBeenCalledTimes(ipcSchema[name].input.safeParse(given).success ? 1 : 0);
      }),
    );
  });
});

describe('the sender of a message', () => {
  it('is accepted if it is our page in the main frame of our window', () => {
    expect(isOwnPage(eventFrom(`${page}#/devices`), createWindow(), ownOrigin)).toBe(true);
  });

  it('is not accepted if it is a frame within our page, or a page of another window', () => {
    expect(isOwnPage(eventFrom(page, {}), createWindow(), ownOrigin)).toBe(false);
    expect(isOwnPage({ ...eventFrom(page), sender: {} }, createWindow(), ownOrigin)).toBe(false);
  });

  it.each([
    'https://latchkey/index.html',
    'app://latchkey.example/index.html',
    'app://other/index.html',
    'http://127.0.0.1:5173/',
    'file:///index.html',
    'about:blank',
    'data:text/html,app://latchkey/',
    'not a url',
    '',
  ])('is not accepted if it is a page at %j', (url) => {
    expect(isOwnPage(eventFrom(url), createWindow(), ownOrigin)).toBe(false);
  });

  it('is not accepted if it is a removed frame, or one of a closed window', () => {
    expect(isOwnPage({ sender: contents, senderFrame: null }, createWindow(), ownOrigin)).toBe(false);
    expect(isOwnPage(eventFrom(page), createWindow(true), ownOrigin)).toBe(false);
  });
});
