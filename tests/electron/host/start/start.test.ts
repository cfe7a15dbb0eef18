/** `npm start` as a user runs it: it prints what the user needs, and leaves nothing running. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildIfChanged } from '../../../../electron/host/start/build-if-changed.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const root = resolve(import.meta.dirname, '../../../..');

type Started = { readonly child: ChildProcess; readonly output: () => string };

function start(...options: string[]): Started {
  const child = spawn(process.execPath, ['electron/host/start.mjs', ...options], {
    cwd: root,
    env: { ...process.env, LATCHKEY_PROFILE: join(temporaryFolder(), 'profile') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (text += part));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
  return { child, output: () => text };
}

async function waitUntilReady({ child, output }: Started): Promise<string> {
  while (!output().includes('Press Ctrl-C to stop')) {
    if (child.exitCode !== null) throw new Error(`It exited:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return output();
}

/** The process that this one started with the file among its arguments. */
function childWith(file: string, parent: ChildProcess): number {
  const ids = globSync(`/proc/${parent.pid}/task/*/children`).flatMap((path) => readFileSync(path, 'utf8').split(' '));
  const isIt = (id: string) => id !== '' && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(file);
  return Number(ids.find(isIt));
}

const isRunning = (address: string) =>
  fetch(`${address}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('npm start', { timeout: 120_000 }, () => {
  it('starts the server with demo data, prints where to open the desktop, and ends all of it', async () => {
    const data = join(temporaryFolder(), 'demo');
    const started = start('--headless', '--port', '0', '--data', data);
    const text = await waitUntilReady(started);
    const server = /Server +(http:\S+)/.exec(text)?.[1] ?? '';
    const [, email = '', password = ''] = /Sign in +(\S+) +password (\S+)/.exec(text) ?? [];
    const installer = /Installer file +(\S+)/.exec(text)?.[1] ?? '';
    const address = /^http:\/\/127\.0\.0\.1:\d+\/\?token=\S+$/m.exec(text)?.[0] ?? '';
    expect(text).toMatch(/License key +SVC(-[0-9A-Z]{4}){4}/);
    expect(existsSync(installer)).toBe(true);
    expect((await fetch(address)).status).toBe(200);
    const signIn = await fetch(`${server}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(signIn.status).toBe(200);

    started.child.kill('SIGTERM');
    await once(started.child, 'exit');
    expect(started.child.exitCode).toBe(0);
    expect(started.output()).toContain(`The demo data stays in ${data}`);
    expect(await isRunning(server)).toBe(false);
    await expect(fetch(address)).rejects.toThrow();
  });

  it('uses a free port if the given one is taken, and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const text = await waitUntilReady(
      start('--headless', '--port', `${port}`, '--data', join(temporaryFolder(), 'demo')),
    );
    expect(text).toContain(`Port ${port} is taken`);
    expect(await isRunning(/Server +(http:\S+)/.exec(text)?.[1] ?? '')).toBe(true);
  });

  it('starts no server with --server', async () => {
    const data = join(temporaryFolder(), 'demo');
    const text = await waitUntilReady(start('--headless', '--server', 'http://127.0.0.1:9', '--data', data));
    expect(text).toContain('http://127.0.0.1:9');
    expect(existsSync(data)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('says so and fails if the desktop crashes', async () => {
    const started = start('--headless', '--server', 'http://127.0.0.1:9');
    await waitUntilReady(started);
    const exited = once(started.child, 'exit');
    process.kill(childWith('run-desktop.ts', started.child), 'SIGKILL');
    await exited;
    expect(started.child.exitCode).toBe(1);
    expect(started.output()).toContain('The desktop app ended unexpectedly (SIGKILL). Run npm start again.');
  });

  it.runIf(process.platform === 'linux')('fails if the server crashed before it was stopped', async () => {
    const started = start('--headless', '--port', '0', '--data', join(temporaryFolder(), 'demo'));
    await waitUntilReady(started);
    process.kill(childWith('server/main.ts', started.child), 'SIGKILL');
    while (!started.output().includes('The server has stopped.'))
      await new Promise((resolve) => setTimeout(resolve, 50));
    started.child.kill('SIGINT');
    await once(started.child, 'exit');
    expect(started.child.exitCode).toBe(1);
  });

  it('prints the usage for an unknown option', async () => {
    const { child, output } = start('--nonsense');
    await once(child, 'close');
    expect(child.exitCode).toBe(2);
    expect(output()).toContain('--headless');
  });

  it('asks for Node 24 in a file that every version of Node can run', () => {
    const entry = readFileSync(join(root, 'electron/host/start.mjs'), 'utf8');
    const check = entry.slice(0, entry.indexOf('await import'));
    expect(check).toContain('Latchkey needs Node 24 or newer');
    expect(check).not.toMatch(/^import /m);
  });
});

describe('the desktop', { timeout: 120_000 }, () => {
  it('does not start with a server address that is not allowed, and says why', async () => {
    await buildIfChanged(root, () => {});
    const child = spawn(process.execPath, ['electron/host/run-desktop.ts'], {
      cwd: root,
      env: {
        ...process.env,
        LATCHKEY_PROFILE: join(temporaryFolder(), 'profile'),
        LATCHKEY_SERVER_URL: 'http://license.example.org',
        LANG: 'en_US.UTF-8',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    child.stderr.on('data', (part) => (text += part));
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    expect(text).toContain('Latchkey could not start: The server address in LATCHKEY_SERVER_URL is not allowed.');
  });
});
