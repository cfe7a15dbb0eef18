/** The control socket: who may use it, what is refused, and what happens to a command whose caller disconnects. */
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CommandResult, notRun } from '../../../electron/cli/command-result.ts';
import { connectControl, isWindowOpen } from '../../../electron/cli/control-client.ts';
import {
  type CloseTimeouts,
  type RunCommand,
  serveControl,
  serveControlIfPossible,
} from '../../../electron/cli/control-server.ts';
import { controlPath } from '../../../electron/platform/control-path.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const echo: RunCommand = async (command, input) => ({ exit: 0, value: { command, input } });

async function serve(run: RunCommand = echo, path = join(temporaryFolder(), 'control.sock')): Promise<string> {
  const server = await serveControl(path, run);
  onTestFinished(() => server.close());
  return path;
}

afterEach(() => vi.unstubAllEnvs());

describe('the control socket', () => {
  it('is accessible only to its owner', async () => {
    expect(lstatSync(await serve()).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === 'win32')('is so from the moment it exists, before its mode is set', async () => {
    const path = join(temporaryFolder(), 'control.sock');
    const modes: number[] = [];
    const { umask } = process;
    const spy = vi.spyOn(process, 'umask').mockImplementation((mask) => {
      if (existsSync(path)) modes.push(lstatSync(path).mode & 0o777);
      return umask(mask as number);
    });
    onTestFinished(() => spy.mockRestore());
    await serve(echo, path);
    expect(modes).toEqual([0o600]);
  });

  it.skipIf(process.platform === 'win32')(
    'of another user is not used, since it would receive passwords and keys',
    async () => {
      const path = await serve();
      const spy = vi.spyOn(process, 'getuid').mockReturnValue(lstatSync(path).uid + 1);
      onTestFinished(() => spy.mockRestore());
      expect(await connectControl(path)).toBeNull();
    },
  );

  it('carries a command and its result', async () => {
    const connection = await connectControl(await serve());
    expect(await connection?.run('why', { feature: 'csv_export' })).toEqual({
      exit: 0,
      value: { command: 'why', input: { feature: 'csv_export' } },
    });
    connection?.close();
  });

  it('carries a list of devices that is longer than the server’s response', async () => {
    const value = 'x'.repeat(5 * 1024 * 1024);
    const connection = await connectControl(await serve(async () => ({ exit: 0, value })));
    const result = await connection?.run('devices', {});
    expect(result?.exit === 0 && String(result.value).length).toBe(value.length);
    connection?.close();
  });

  it('carries a server failure with the code NOT_RUN as the result of a command that was run', async () => {
    const failure = { error: 'The server says so.', code: 'NOT_RUN' };
    const connection = await connectControl(await serve(async () => ({ exit: 3, failure })));
    expect(await connection?.run('sign-in', {})).toEqual({ exit: 3, failure });
    connection?.close();
  });

  it('carries the server that the command is for', async () => {
    const servers: unknown[] = [];
    const path = await serve(async (_command, _input, { server }) => {
      servers.push(server);
      return { exit: 0, value: null };
    });
    for (const server of ['https://one.example', undefined]) {
      const connection = await connectControl(path);
      await connection?.run('sign-in', {}, server);
      connection?.close();
    }
    expect(servers).toEqual(['https://one.example', undefined]);
  });

  it('reports an open window, and none if the process that has it does not respond', async () => {
    const window = await serve(async () => ({ exit: 0, value: { window: true } }));
    expect(await isWindowOpen(window)).toBe(true);
    const silent = await serve(() => new Promise(() => undefined));
    expect(await isWindowOpen(silent, 50)).toBe(false);
    expect(await isWindowOpen(join(temporaryFolder(), 'nobody.sock'))).toBe(false);
  });

  it('distinguishes a process that hangs from one that runs no commands', async () => {
    const silent = await connectControl(await serve(() => new Promise(() => undefined)));
    expect(await silent?.status({ timeoutMs: 50 })).toBe('hangs');
    const busy = await connectControl(await serve(async () => notRun));
    expect(await busy?.status()).toBe('not-run');
    const [command, answer] = [await connectControl(await serve()), { exit: 0, value: { command: 'why', input: {} } }];
    expect(await command?.status()).toMatchObject({ exit: 0, value: { command: 'status', input: { check: false } } });
    expect(await command?.run('why', {})).toEqual(answer);
    for (const connection of [busy, command]) connection?.close();
  });

  it('is replaced if a killed process left it', async () => {
    const path = join(temporaryFolder(), 'control.sock');
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(path, resolve));
    const stale = join(path, '..', 'stale.sock');
    expect(existsSync(path)).toBe(true);
    await new Promise((resolve) => dead.close(resolve));
    writeFileSync(stale, '');
    expect(await connectControl(stale)).toBeNull();
    await serve(echo, stale);
    const connection = await connectControl(stale);
    expect(connection).not.toBeNull();
    connection?.close();
  });

  it.each(['', 'hello', '{"id":1}', '{"id":"1","command":"status"}', `{"id":1,"command":"${'x'.repeat(200)}"}`, '[]'])(
    'rejects the line %j with a message, and continues to work',
    async (line) => {
      const path = await serve();
      const socket = createConnection(path);
      onTestFinished(() => void socket.destroy());
      socket.write(`${line}\n`);
      const [response] = await new Promise<string[]>((resolve) => {
        socket.once('data', (data) => resolve([data.toString()]));
      });
      expect(JSON.parse(response ?? '')).toMatchObject({ result: { exit: 2, failure: { code: 'USAGE' } } });
      const connection = await connectControl(path);
      expect(await connection?.run('status', {})).toMatchObject({ exit: 0 });
      connection?.close();
    },
  );

  it('closes a connection that sends endlessly', async () => {
    const socket = createConnection(await serve());
    socket.on('error', () => {});
    const ended = text(socket).catch(() => '');
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 10 && !socket.destroyed; sent++) socket.write(chunk);
    expect(await ended).toBe('');
  });

  it('runs one command per connection at a time', async () => {
    const running = Promise.withResolvers<CommandResult>();
    const started = Promise.withResolvers<void>();
    const ran: string[] = [];
    const path = await serve((command) => {
      ran.push(command);
      started.resolve();
      return ran.length === 1 ? running.promise : Promise.resolve({ exit: 0, value: null });
    });
    const socket = createConnection(path);
    const lines = ['first', 'second', 'third'].map((command, id) => `${JSON.stringify({ id, command, input: {} })}\n`);
    socket.write(lines.join(''));
    await started.promise;
    const other = await connectControl(path);
    await other?.run('other', {});
    expect(ran).toEqual(['first', 'other']);
    running.resolve({ exit: 0, value: null });
    await expect.poll(() => ran).toEqual(['first', 'other', 'second', 'third']);
    other?.close();
    socket.destroy();
  });

  it('runs none of the remaining commands of a caller that has disconnected', async () => {
    const gone = Promise.withResolvers<void>();
    const ran: string[] = [];
    const path = await serve(async (command, _input, { signal }) => {
      ran.push(command);
      if (command === 'last') return { exit: 0, value: null };
      socket.destroy();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      gone.resolve();
      return { exit: 0, value: null };
    });
    const socket = createConnection(path);
    socket.write(`${JSON.stringify({ id: 1, command: 'status', input: {} })}\n`.repeat(100));
    await gone.promise;
    const other = await connectControl(path);
    await other?.run('last', {});
    other?.close();
    expect(ran.filter((command) => command === 'status')).toHaveLength(1);
  });

  it('closes a connection whose server sends endlessly', async () => {
    const path = join(temporaryFolder(), 'control.sock');
    const closed = Promise.withResolvers<void>();
    const holder = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('close', closed.resolve);
      const chunk = Buffer.alloc(1024 * 1024, 'x');
      const goOn = () => socket.write(chunk, (error) => error || setImmediate(goOn));
      socket.once('data', goOn);
    });
    await new Promise<void>((resolve) => holder.listen(path, resolve));
    onTestFinished(() => void holder.close());
    expect(await (await connectControl(path))?.run('status', {})).toMatchObject({
      failure: { code: 'OUTCOME_UNKNOWN' },
    });
    await closed.promise;
  });

  it('cancels a command when its caller disconnects', async () => {
    const started = Promise.withResolvers<void>();
    const canceled = Promise.withResolvers<void>();
    const path = await serve((_command, _input, { signal }) => {
      signal.addEventListener('abort', () => canceled.resolve());
      started.resolve();
      return new Promise(() => {});
    });
    const connection = await connectControl(path);
    void connection?.run('verify', {});
    await started.promise;
    connection?.close();
    await canceled.promise;
  });

  describe('when closing', () => {
    /** A server whose commands end only when `finish` is called; `ran` lists them. */
    async function serveSlowly(timeouts?: CloseTimeouts) {
      const path = join(temporaryFolder(), 'control.sock');
      const [started, done] = [Promise.withResolvers<void>(), Promise.withResolvers<CommandResult>()];
      const ran: string[] = [];
      const run: RunCommand = (command) => {
        ran.push(command);
        started.resolve();
        return done.promise;
      };
      const server = await serveControl(path, run, timeouts);
      const finish = (value = 'done') => done.resolve({ exit: 0, value });
      return { path, server, ran, started: started.promise, finish };
    }

    it('first answers the running command, and runs no other', async () => {
      const { path, server, ran, started, finish } = await serveSlowly();
      const [first, second] = await Promise.all([connectControl(path), connectControl(path)]);
      const result = first?.run('activate', {});
      await started;
      const closing = server.close();
      const third = await connectControl(path);
      expect([await second?.run('activate', {}), await third?.run('activate', {})]).toEqual([null, null]);
      finish();
      expect(await result).toEqual({ exit: 0, value: 'done' });
      await closing;
      expect(ran).toEqual(['activate']);
      expect(await connectControl(path)).toBeNull();
      expect(existsSync(path)).toBe(false);
    });

    it('tells callers that just connected or have sent no command that nothing was run', async () => {
      const { path, server, ran } = await serveSlowly();
      const quiet = await connectControl(path);
      const connecting = Array.from({ length: 10 }, () => connectControl(path));
      const closing = server.close();
      const results = (await Promise.all(connecting)).map((connection) => connection?.run('activate', {}));
      expect(await Promise.all(results)).toEqual(results.map(() => null));
      await closing;
      expect(await quiet?.run('activate', {})).toBeNull();
      expect(ran).toEqual([]);
    });

    it('waits for a command only up to its time limit, after which the outcome is unknown', async () => {
      const { path, server, ran, started } = await serveSlowly({ closeTimeoutMs: 10, goodbyeTimeoutMs: 1000 });
      const connection = await connectControl(path);
      const result = connection?.run('activate', {});
      await started;
      await server.close();
      expect(await result).toMatchObject({ exit: 4, failure: { code: 'OUTCOME_UNKNOWN' } });
      expect(ran).toEqual(['activate']);
    });

    it('cancels a command that ends when its signal is aborted', async () => {
      const path = join(temporaryFolder(), 'control.sock');
      const started = Promise.withResolvers<void>();
      const server = await serveControl(path, (_command, _input, { signal }) => {
        started.resolve();
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(notRun)));
      });
      const result = (await connectControl(path))?.run('scan', {});
      await started.promise;
      await server.close();
      expect(await result).toBeNull();
    });

    it('does not wait for a caller that reads nothing', async () => {
      const { path, server, started, finish } = await serveSlowly({ closeTimeoutMs: 30_000, goodbyeTimeoutMs: 10 });
      const socket = createConnection(path);
      onTestFinished(() => void socket.destroy());
      socket.pause();
      socket.write(`${JSON.stringify({ id: 1, command: 'devices', input: {} })}\n`);
      await started;
      finish('x'.repeat(4 * 1024 * 1024));
      await server.close();
    });
  });

  it('survives a caller that is killed before it has read its result', async () => {
    const answered = Promise.withResolvers<void>();
    const path = await serve(async () => {
      setImmediate(answered.resolve);
      return { exit: 0, value: 'x'.repeat(1000) };
    });
    const socket = createConnection(path);
    socket.pause();
    socket.write(`${JSON.stringify({ id: 1, command: 'devices', input: {} })}\n`);
    await answered.promise;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    const connection = await connectControl(path);
    expect(await connection?.run('status', {})).toMatchObject({ exit: 0 });
    connection?.close();
  });

  it('refuses callers beyond its limit, and runs nothing for them', async () => {
    const path = join(temporaryFolder(), 'control.sock');
    const ran: string[] = [];
    const server = await serveControl(path, async (command) => {
      ran.push(command);
      return { exit: 0, value: null };
    });
    onTestFinished(() => server.close());
    const connections = await Promise.all(Array.from({ length: 20 }, () => connectControl(path)));
    const results = await Promise.all(connections.map((connection) => connection?.run('status', {})));
    expect(results.filter((result) => result === null)).toHaveLength(4);
    expect(ran).toHaveLength(16);
  });

  it('leaves the outcome unknown if the process is killed after it received the request', async () => {
    const path = join(temporaryFolder(), 'control.sock');
    const killed = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => killed.listen(path, resolve));
    onTestFinished(() => void killed.close());
    expect(await (await connectControl(path))?.run('activate', {})).toMatchObject({ exit: 4 });
  });

  it('that cannot be created is reported only in the log', async () => {
    const logged: unknown[] = [];
    const log = { info: () => {}, warn: (message: string, facts?: object) => void logged.push([message, facts]) };
    for (const path of [join(temporaryFolder(), 'nowhere', 'control.sock'), temporaryFolder()]) {
      const server = await serveControlIfPossible(path, echo, log);
      await server.close();
    }
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).toContain('commands of other processes are not served');
  });

  it('is not used if somebody else could have created it', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o700);
    expect(await connectControl(join(folder, 'nothing.sock'))).toBeNull();
  });
});

describe('the path of the control socket', () => {
  it('is the same for all spellings of a profile', () => {
    const long = join(temporaryFolder(), 'a'.repeat(120));
    mkdirSync(long);
    const link = join(temporaryFolder(), 'profile');
    symlinkSync(long, link);
    expect(controlPath(link)).toBe(controlPath(long));
    expect(controlPath(link, 'win32')).toBe(controlPath(long, 'win32'));
  });

  it.each([
    { runtime: '/run/user/1000', home: '/home/ada', expected: /^\/run\/user\/1000\/latchkey-/ },
    { runtime: '', home: '/home/ada', expected: /^\/home\/ada\/latchkey-/ },
    { runtime: 'run', home: '/home/ada', expected: /^\/home\/ada\/latchkey-/ },
    { runtime: '', home: '', expected: /^\// },
  ])('is never in the current folder ($runtime, $home)', ({ runtime, home, expected }) => {
    vi.stubEnv('XDG_RUNTIME_DIR', runtime);
    vi.stubEnv('HOME', home);
    expect(controlPath(`/home/${'a'.repeat(120)}`, 'linux')).toMatch(expected);
  });

  it('is in the profile if the system allows a path of that length, else in a folder of the user', () => {
    expect(controlPath('/home/ada/.config/Latchkey', 'linux')).toBe('/home/ada/.config/Latchkey/control.sock');
    expect(controlPath(`/home/${'a'.repeat(120)}`, 'linux')).toMatch(/\/latchkey-[0-9a-f]{16}\.sock$/);
    expect(controlPath('C:\\Users\\Ada', 'win32')).toMatch(/^\\\\\.\\pipe\\latchkey-[0-9a-f]{16}$/);
  });
});
