/**
 * Two commands on one profile, of which the first runs both: what happens to the second one when the first one ends.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, createServer as createHolder, type Socket } from 'node:net';
import { join } from 'node:path';
import { connectControl } from '../../electron/cli/control-client.ts';
import { controlPath } from '../../electron/platform/control-path.ts';
import { commandLine } from './fixtures/command-line.ts';
import { endProcess } from './fixtures/processes.ts';
import { expect, test } from './fixtures/test.ts';
import { prepareUser } from './fixtures/user.ts';

/** Forwards requests to the server; those to a held path only once it is released. */
async function holdingProxy(upstream: string) {
  const held = new Map<string, { readonly arrived: () => void; readonly released: Promise<void> }>();
  const seen: string[] = [];
  const proxy = createServer(async (incoming, response) => {
    const path = incoming.url ?? '';
    const hold = held.get(path);
    seen.push(path);
    hold?.arrived();
    await hold?.released;
    const { method, headers } = incoming;
    const passedOn = request(`${upstream}${path}`, { method, headers }, (answer: IncomingMessage) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passedOn.on('error', () => response.destroy());
    incoming.pipe(passedOn);
  });
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    count: (path: string) => seen.filter((each) => each === path).length,
    hold: (path: string) => {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      held.set(path, { arrived: arrived.resolve, released: released.promise });
      return { arrived: arrived.promise, release: released.resolve };
    },
    stop: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

/** Returns the status that the holder of the profile reports: `null` if it runs no commands, nothing if nobody listens. */
async function askHolder(profile: string) {
  const holder = await connectControl(controlPath(profile));
  const status = await holder?.run('status', {});
  holder?.close();
  return status;
}

const signingIn = '/api/v1/auth/login';
const [check, activation] = ['/api/v1/subscription/status', '/api/v1/license/activate'];

for (const isKilled of [false, true]) {
  const outcome = isKilled ? 'is killed: that is unknown, and it is not repeated' : 'ends: it is done, and done once';
  test(`the outcome of a command whose runner ${outcome}`, async ({ folder, server }) => {
    const user = await prepareUser(server);
    const proxy = await holdingProxy(server.url);
    const { run, start } = commandLine(folder, proxy.url);
    await run(['sign-in', user.email, '--password-stdin'], user.password);

    const [checking, activating] = [proxy.hold(check), proxy.hold(activation)];
    const runner = start(['status', '--check']);
    await checking.arrived;
    const second = run(['activate', user.licenseKey]);
    await activating.arrived;
    if (isKilled) {
      await endProcess(runner, 'SIGKILL');
      expect(await second).toMatchObject({ code: 4, stdout: '', json: { code: 'OUTCOME_UNKNOWN' } });
    } else {
      checking.release();
      await expect.poll(async () => (await askHolder(join(folder, 'profile'))) ?? null).toBeNull();
      activating.release();
      expect(await second).toMatchObject({ code: 0, json: { activations: 1 } });
    }
    expect(proxy.count(activation)).toBe(1);
    checking.release();
    activating.release();
    expect(await run(['status'])).toMatchObject({ code: 0, json: { session: 'signed-in', store: { unreadable: [] } } });
    proxy.stop();
  });
}

test('a command that names a server runs with that one, or not at all', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const proxy = await holdingProxy(server.url);
  const { run, start } = commandLine(folder, proxy.url);
  await run(['sign-in', user.email, '--password-stdin'], user.password);
  const checking = proxy.hold(check);
  const runner = start(['status', '--check']);
  await checking.arrived;
  const other = ['--server', server.url, 'sign-in', user.email, '--password-stdin'];
  expect(await run(other, user.password)).toMatchObject({ code: 1, stdout: '', json: { code: 'OTHER_SERVER' } });
  expect(proxy.count(signingIn)).toBe(1);
  expect(await run(['--server', `${proxy.url}/`, 'status'])).toMatchObject({ code: 0 });
  for (const refused of ['ftp://license.example', 'http://license.example', 'https://a:b@license.example']) {
    expect(await run(['--server', refused, 'status'])).toMatchObject({ code: 2, stdout: '', json: { code: 'USAGE' } });
  }
  checking.release();
  await endProcess(runner, 'SIGKILL');
  proxy.stop();
});

test('a server named for a command overrides the stored one, for that command only', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const proxy = await holdingProxy(server.url);
  const profile = join(folder, 'profile');
  await mkdir(profile, { recursive: true });
  const preferences = JSON.stringify({ version: 1, min_reader: 1, serverAddress: proxy.url, settings: {} });
  await writeFile(join(profile, 'settings.json'), JSON.stringify({ preferences }));
  const { run } = commandLine(folder, proxy.url);
  const named = ['--server', server.url];
  const signIn = [...named, 'sign-in', user.email, '--password-stdin'];
  expect(await run(signIn, user.password)).toMatchObject({ code: 0, json: { account: { email: user.email } } });
  expect(await run([...named, 'status', '--check'])).toMatchObject({
    code: 0,
    json: { session: 'signed-in', server: { address: server.url } },
  });
  expect(proxy.count(signingIn)).toBe(0);
  expect(await run(['status'])).toMatchObject({
    json: { session: 'signed-out', session_ended: 'server-changed', server: { address: proxy.url } },
  });

  const checking = proxy.hold('/api/v1/binary-hash');
  const elsewhere = commandLine(join(folder, 'other'), server.url);
  const runner = elsewhere.start(['--server', proxy.url, 'status', '--check']);
  await checking.arrived;
  const waiting = elsewhere.run(['status']);
  expect(await askHolder(join(folder, 'other', 'profile'))).toBeNull();
  checking.release();
  expect(await waiting).toMatchObject({ code: 0, json: { server: { address: server.url } } });
  await endProcess(runner, 'SIGKILL');
  for (const refused of ['', 'ftp://license.example']) {
    expect(await run(['--server', refused, 'status'])).toMatchObject({ code: 2, stdout: '', json: { code: 'USAGE' } });
    const { code, json } = await commandLine(folder, refused || ' ').run(['--server', server.url, 'status']);
    expect({ code, json }).toMatchObject({ code: 2, json: { error: expect.stringContaining('LATCHKEY_SERVER_URL') } });
  }
  proxy.stop();
});

/** Holds the profile as another process would, and passes each connection to `serve`. */
async function holdProfile(profile: string, serve: (socket: Socket) => void): Promise<() => void> {
  await mkdir(profile, { recursive: true });
  const sockets = new Set<Socket>();
  const holder = createHolder((socket) => {
    sockets.add(socket.on('error', () => {}));
    serve(socket);
  });
  await new Promise<void>((listening) => holder.listen(controlPath(profile), listening));
  return () => {
    for (const socket of sockets) socket.destroy();
    holder.close();
  };
}

test('an answer that is not a document of the command is reported with a fixed message', async ({ folder, server }) => {
  const release = await holdProfile(join(folder, 'profile'), (socket) =>
    socket.on('data', () => socket.write('{"id":1,"result":{"exit":0,"value":null}}\n')),
  );
  const { run } = commandLine(folder, server.url);
  expect(await run(['support', '--out', join(folder, 'support.json')])).toMatchObject({
    code: 4,
    stdout: '',
    json: { error: expect.stringContaining('cannot be understood'), code: 'OUTCOME_UNKNOWN' },
  });
  release();
});

test('a command does not wait endlessly for a process that hangs', async ({ folder, server }) => {
  let received = '';
  const release = await holdProfile(join(folder, 'profile'), (socket) =>
    socket.on('data', (chunk) => {
      received += chunk;
    }),
  );
  const { run } = commandLine(folder, server.url);
  expect(await run(['sign-out'])).toMatchObject({
    code: 1,
    stdout: '',
    json: { error: expect.stringContaining('does not answer. Quit it and try again.') },
  });
  expect(received).not.toContain('sign-out');
  release();
});

test('a profile where the system allows no socket can still be used, by one process at a time', async ({
  folder,
  server,
}) => {
  await mkdir(join(folder, 'profile', 'control.sock', 'in the way'), { recursive: true });
  const { run } = commandLine(folder, server.url);
  expect(await run(['status'])).toMatchObject({ code: 0, json: { session: 'signed-out' } });
});
