/** The control socket: who may use it, what is refused, and what happens to a command whose caller goes. */
import { chmodSync, existsSync, lstatSync, writeFileSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectControl } from '../../../electron/cli/control-client.ts';
import { controlPath } from '../../../electron/cli/control-path.ts';
import { type RunCommand, serveControl } from '../../../electron/cli/control-server.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const echo: RunCommand = async (command, input) => ({ exit: 0, value: { command, input } });

async function serve(run: RunCommand = echo, path = join(temporaryFolder(), 'control.sock')): Promise<string> {
  const server = await serveControl(path, run);
  onTestFinished(() => server.close());
  return path;
}

describe('the control socket', () => {
  it('is for its owner alone', async () => {
    expect(lstatSync(await serve()).mode & 0o777).toBe(0o600);
  });

  it('carries a command and its result', async () => {
    const connection = await connectControl(await serve());
    expect(await connection?.run('why', { feature: 'csv_export' })).toEqual({
      exit: 0,
      value: { command: 'why', input: { feature: 'csv_export' } },
    });
    connection?.close();
  });

  it('that a killed process left is replaced', async () => {
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
    'refuses the line %j with a sentence, and goes on',
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

  it('closes a connection that sends without end', async () => {
    const socket = createConnection(await serve());
    socket.on('error', () => {});
    const ended = text(socket).catch(() => '');
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 6 && !socket.destroyed; sent++) socket.write(chunk);
    expect(await ended).toBe('');
  });

  it('cancels a command when its caller goes', async () => {
    const started = Promise.withResolvers<void>();
    const canceled = Promise.withResolvers<void>();
    const path = await serve((_command, _input, signal) => {
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

  it('answers nobody after it was closed, and says so to one who waits', async () => {
    const path = join(temporaryFolder(), 'control.sock');
    const server = await serveControl(path, () => new Promise(() => {}));
    const connection = await connectControl(path);
    const result = connection?.run('status', {});
    await server.close();
    expect(await result).toBeNull();
    expect(await connectControl(path)).toBeNull();
  });

  it('that somebody else could have made is not used', async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o700);
    expect(await connectControl(join(folder, 'nothing.sock'))).toBeNull();
  });
});

describe('the path of the control socket', () => {
  it('is in the profile where the system allows a path of that length, else in a folder of the user', () => {
    expect(controlPath('/home/ada/.config/Latchkey', 'linux')).toBe('/home/ada/.config/Latchkey/control.sock');
    expect(controlPath(`/home/${'a'.repeat(120)}`, 'linux')).toMatch(/\/latchkey-[0-9a-f]{16}\.sock$/);
    expect(controlPath('C:\\Users\\Ada', 'win32')).toMatch(/^\\\\\.\\pipe\\latchkey-[0-9a-f]{16}$/);
  });
});
