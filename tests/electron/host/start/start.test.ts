/** `npm start` as a user runs it: it prints what the user needs, and leaves nothing running. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildIfChanged } from '../../../../electron/host/start/build-if-changed.ts';
import { installedElectron } from '../../../../electron/host/start/find-electron.ts';
import { compileCache } from '../../../harness/environment.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const root = resolve(import.meta.dirname, '../../../..');

const nobody = 65_534;

type Started = { readonly child: ChildProcess; readonly output: () => string };

function start(...options: string[]): Started {
  return startOn(join(temporaryFolder(), 'profile'), ...options);
}

/** Starts on the given profile, or with null on that of the demo data. */
function startOn(profile: string | null, ...options: string[]): Started {
  const { LATCHKEY_PROFILE: _, ...environment } = process.env;
  return startIn(profile === null ? environment : { ...environment, LATCHKEY_PROFILE: profile }, ...options);
}

function startIn(env: NodeJS.ProcessEnv, ...options: string[]): Started {
  return startFrom(root, env, ...options);
}

/** Runs the repository's `npm start` in the given folder. */
function startFrom(folder: string, env: NodeJS.ProcessEnv, ...options: string[]): Started {
  const child = spawn(process.execPath, ['electron/host/start.mjs', ...options], {
    cwd: folder,
    env: { ...env, NODE_COMPILE_CACHE: compileCache },
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

/** The status of the page, whose host name Node cannot resolve. */
async function statusOf(address: string): Promise<number | undefined> {
  const sent = get(address, { hostname: '127.0.0.1', headers: { host: new URL(address).host } });
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

/** The id of the process that the parent started with this file among its arguments. */
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

/** Waits for the end of a start that cannot succeed; kills it if that takes too long. */
async function startError(started: Started): Promise<{ readonly code: number | null; readonly output: string }> {
  const timer = setTimeout(() => started.child.kill('SIGKILL'), 240_000);
  await once(started.child, 'close');
  clearTimeout(timer);
  return { code: started.child.exitCode, output: started.output() };
}

/** Runs the browser host without `npm start` on a profile that it cannot use. */
function runDesktop(profile: string, ...parameters: readonly string[]) {
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, LATCHKEY_PROFILE: profile };
  return spawnSync(process.execPath, ['electron/host/run-desktop.ts', ...parameters], {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 240_000,
  });
}

describe('a profile that another npm start uses', () => {
  it('is not taken over: the second start fails and says what to do, and the first one continues', async () => {
    const data = join(temporaryFolder(), 'demo');
    const first = startOn(null, '--headless', '--port', '0', '--data', data);
    const server = /Server +(http:\S+)/.exec(await waitUntilReady(first))?.[1] ?? '';
    const logBefore = readFileSync(join(data, 'server.log'), 'utf8');
    expect(await startError(startOn(null, '--headless', '--port', '0', '--data', data))).toEqual({
      code: 1,
      output: `Latchkey is already running with the folder ${join(data, 'desktop')}. Quit it first, with Ctrl-C where it was started, or use another folder: npm start -- --data DIR.\n`,
    });
    const other = startOn(join(data, 'desktop'), '--headless', '--server', 'http://127.0.0.1:9');
    expect(await startError(other)).toMatchObject({ code: 1, output: expect.stringContaining('LATCHKEY_PROFILE') });
    expect(readFileSync(join(data, 'server.log'), 'utf8').startsWith(logBefore)).toBe(true);
    expect(await isRunning(server)).toBe(true);
    expect(first.child.exitCode).toBe(null);
  });

  it('can be used again immediately after that start or its desktop app was killed', async () => {
    const profile = join(temporaryFolder(), 'profile');
    const options = ['--headless', '--server', 'http://127.0.0.1:9'];
    const first = startOn(profile, ...options);
    await waitUntilReady(first);
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = startOn(profile, ...options);
    await waitUntilReady(second);
    if (process.platform !== 'linux') return;
    process.kill(childWith('run-desktop.ts', second.child), 'SIGKILL');
    await once(second.child, 'exit');
    await waitUntilReady(startOn(profile, ...options));
  });

  it('is not taken over by a desktop app that is started without npm start either', async () => {
    const profile = join(temporaryFolder(), 'profile');
    await waitUntilReady(startOn(profile, '--headless', '--server', 'http://127.0.0.1:9'));
    const { status, stderr } = runDesktop(profile);
    expect(stderr).toContain(`Latchkey is already running with the profile ${profile}. Quit it first`);
    expect(status).toBe(1);
    expect(stderr).not.toContain('latchkey -- open');
    // The message does not repeat a link, which may contain a license key.
    const withLink = runDesktop(profile, '--', 'latchkey://activate?key=SVC-1').stderr;
    expect(withLink).toContain('npm run --silent latchkey -- open LINK_OR_FILE');
    expect(withLink).not.toContain('SVC-1');
  });

  it.runIf(process.platform === 'linux')(
    'is not taken over from a suspended process, however long it is suspended',
    async () => {
      const profile = join(temporaryFolder(), 'profile');
      const options = ['--headless', '--server', 'http://127.0.0.1:9'];
      const first = startOn(profile, ...options);
      await waitUntilReady(first);
      const processes = [first.child.pid ?? 0, childWith('run-desktop.ts', first.child)];
      for (const id of processes) process.kill(id, 'SIGSTOP');
      const anHourAgo = new Date(Date.now() - 3_600_000);
      for (const name of readdirSync(profile)) utimesSync(join(profile, name), anHourAgo, anHourAgo);
      const second = await startError(startOn(profile, ...options));
      for (const id of processes) process.kill(id, 'SIGCONT');
      expect(second).toMatchObject({ code: 1, output: expect.stringContaining('already running') });
    },
  );
});

describe('a folder that cannot be used', () => {
  const unusable = () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const inAFile = join(folder, 'file', 'inner');
    // Nobody can create a folder in these, not even root.
    return process.platform === 'linux'
      ? [inAFile, '/proc/latchkey', '/proc/latchkey/inner', '/sys/latchkey']
      : [inAFile];
  };

  it('for the demo data is an error that says what to do', async () => {
    for (const folder of unusable()) {
      const started = await startError(startOn(null, '--headless', '--port', '0', '--data', folder));
      expect(started).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^The folder \S+ cannot be used \(.*\)\..* npm start -- --data DIR\.\n$/),
      });
      const elsewhere = await startError(start('--headless', '--port', '0', '--data', folder));
      expect(elsewhere).toEqual({
        code: 1,
        output: expect.stringMatching(/^The folder \S+ cannot be used \(.*\)\..* npm start -- --data DIR\.\n/m),
      });
    }
  });

  it('for the profile is an error that says what to do', async () => {
    for (const folder of unusable()) {
      const started = await startError(startOn(folder, '--headless', '--server', 'http://127.0.0.1:9'));
      expect(started).toEqual({
        code: 1,
        output: expect.stringMatching(/^The folder \S+ cannot be used \(.*\)\..* LATCHKEY_PROFILE to it\.\n$/),
      });
    }
  });

  it.skipIf(process.platform === 'win32')(
    'because it is read-only is an error too, and nothing in it changes',
    async () => {
      const profile = join(temporaryFolder(), 'profile');
      mkdirSync(profile);
      writeFileSync(join(profile, 'preferences.json'), '{}');
      chmodSync(profile, 0o500);
      const before = readdirSync(profile);
      const isRoot = process.getuid?.() === 0;
      // Root can write anywhere, so as root the start runs as nobody.
      if (isRoot) chownSync(profile, nobody, nobody);
      chmodSync(dirname(profile), 0o755);
      const parameters = ['electron/host/start.mjs', '--headless', '--server', 'http://127.0.0.1:9'];
      const { status, stderr } = spawnSync(process.execPath, parameters, {
        cwd: root,
        env: { ...process.env, LATCHKEY_PROFILE: profile },
        encoding: 'utf8',
        timeout: 240_000,
        ...(isRoot ? { uid: nobody, gid: nobody } : {}),
      });
      chmodSync(profile, 0o700);
      expect(stderr).toMatch(/^The folder \S+ cannot be used \(EACCES.*\)\..* LATCHKEY_PROFILE to it\.\n$/);
      expect(status).toBe(1);
      expect(readdirSync(profile)).toEqual(before);
    },
  );

  it('is also an error if the desktop app is started without npm start', () => {
    for (const folder of unusable()) {
      const { status, stderr } = runDesktop(folder);
      expect(status).toBe(1);
      expect(stderr).toMatch(
        /^Latchkey could not start: The folder \S+ cannot be used \(.*\)\. Make it writable, or set LATCHKEY_PROFILE to another folder\.$/m,
      );
      expect(stderr).not.toMatch(/^ +at /m);
    }
  });
});

describe.runIf(process.platform === 'linux' && installedElectron(root) === null)('the window', () => {
  /** Starts with this program as the only one on the PATH; it writes its arguments to a file. */
  function startWith(name: string, code: string) {
    const folder = temporaryFolder();
    const argumentsFile = join(folder, 'arguments.json');
    const write = `require('node:fs').writeFileSync(${JSON.stringify(argumentsFile)}, JSON.stringify(process.argv));`;
    writeFileSync(join(folder, name), `#!${process.execPath}\n${write}\n${code}\n`, { mode: 0o755 });
    const profile = join(folder, 'profile');
    const environment = {
      PATH: folder,
      DISPLAY: ':none',
      ELECTRON_SKIP_BINARY_DOWNLOAD: '1',
      LATCHKEY_PROFILE: profile,
    };
    const started = startIn({ ...process.env, ...environment }, '--server', 'http://127.0.0.1:9');
    return { started, argumentsOf: (): string[] => JSON.parse(readFileSync(argumentsFile, 'utf8')) };
  }

  /** The address in the page that the browser was started with. */
  const readAddress = (page: string) => /http:[^"\s]+/.exec(readFileSync(page, 'utf8'))?.[0] ?? '';

  function expectSecret(address: string): void {
    const { hostname, searchParams } = new URL(address);
    const token = searchParams.get('token') ?? '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const everyArgument = globSync('/proc/[0-9]*/cmdline').map(readIfRunning).join('\n');
    expect(everyArgument).toContain('run-desktop.ts');
    expect(everyArgument.includes(token)).toBe(false);
    expect(everyArgument.includes(hostname)).toBe(false);
  }

  it('gets its address from a file that only its owner can read, not from its arguments', async () => {
    const { started, argumentsOf } = startWith('chromium', 'setInterval(() => {}, 1_000);');
    const text = await waitUntilReady(started);
    const page = fileURLToPath(
      argumentsOf()
        .find((each) => each.startsWith('--app='))
        ?.slice('--app='.length) ?? '',
    );
    expect(statSync(page).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(page)).mode & 0o777).toBe(0o700);
    const address = readAddress(page);
    expectSecret(address);
    expect(text).not.toContain('token=');
    expect(await statusOf(address)).toBe(200);
    started.child.kill('SIGTERM');
    await once(started.child, 'exit');
    expect(existsSync(page)).toBe(false);
  });

  it('gets it the same way in the default browser, and the terminal also prints it', async () => {
    const { started, argumentsOf } = startWith('xdg-open', '');
    const text = await waitUntilReady(started);
    const page = argumentsOf().at(-1) ?? '';
    const address = readAddress(page);
    expectSecret(address);
    expect(text).toContain(`\n${address}\n`);
  });

  it('makes npm start fail with an error if it crashes', async () => {
    const { started } = startWith('chromium', 'setTimeout(() => process.exit(3), 4_000);');
    const { code, output } = await startError(started);
    expect(output).toContain('The desktop app ended unexpectedly (exit code 3). Run npm start again.');
    expect(code).toBe(1);
  });
});

function readIfRunning(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe('npm start', () => {
  it('starts the server with demo data, prints where to open the desktop app, and ends everything', async () => {
    const data = join(temporaryFolder(), 'demo');
    const started = start('--headless', '--port', '0', '--data', data);
    const text = await waitUntilReady(started);
    const server = /Server +(http:\S+)/.exec(text)?.[1] ?? '';
    const [, email = '', password = ''] = /Sign in +(\S+) +password (\S+)/.exec(text) ?? [];
    const installer = /Installer file +(\S+)/.exec(text)?.[1] ?? '';
    const address = /^http:\/\/[0-9a-f]{32}\.localhost:\d+\/\?token=\S+$/m.exec(text)?.[0] ?? '';
    expect(text).toContain('Safari may not find it: then use Chrome, Edge or Firefox');
    expect(text).toMatch(/License key +SVC(-[0-9A-Z]{4}){4}/);
    expect(existsSync(installer)).toBe(true);
    expect(await statusOf(address)).toBe(200);
    const signIn = await fetch(`${server}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    expect(signIn.status).toBe(200);

    started.child.kill('SIGTERM');
    await once(started.child, 'close');
    expect(started.child.exitCode).toBe(0);
    expect(started.output()).toContain(`The demo data stays in ${data}`);
    expect(await isRunning(server)).toBe(false);
    await expect(statusOf(address)).rejects.toThrow('ECONNREFUSED');
  });

  it('uses a free port if the given one is taken, and reports that', async () => {
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

  it.runIf(process.platform === 'linux')('reports a crash of the desktop app and fails', async () => {
    const started = start('--headless', '--server', 'http://127.0.0.1:9');
    await waitUntilReady(started);
    const exited = once(started.child, 'close');
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

  it('says what to run if only the packages of the server are installed', async () => {
    const folder = temporaryFolder();
    cpSync(join(root, 'electron/host'), join(folder, 'electron/host'), { recursive: true });
    mkdirSync(join(folder, 'node_modules/zod'), { recursive: true });
    const { child, output } = startFrom(folder, process.env);
    await once(child, 'close');
    expect(child.exitCode).toBe(1);
    expect(output()).toBe(
      'npm start needs packages that are not installed (vite, devalue, ws): run "npm ci --include=dev" first, or start the server without the desktop app with "npm run server".\n',
    );
  });

  it('requires Node 24 in a file that every version of Node can run', () => {
    const entry = readFileSync(join(root, 'electron/host/start.mjs'), 'utf8');
    const check = entry.slice(0, entry.indexOf('await import'));
    expect(check).toContain('Latchkey needs Node 24 or newer');
    expect(check).not.toMatch(/^import /m);
  });
});

describe('the desktop app', () => {
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
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(text).toContain('Latchkey could not start: The server address in LATCHKEY_SERVER_URL is not allowed.');
  });
});
