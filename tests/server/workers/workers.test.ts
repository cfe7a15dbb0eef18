/** `npm run server -- --workers N`: several processes that behave like one server. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitsOff, type Settings } from '../../harness/environment.ts';
import { runUntilExit, type ServerProcess, spawnServer, startServer } from '../../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { httpTransport, TestClient } from '../../harness/test-client.ts';
import { activateInTime, newEmail, signUp } from '../../harness/users.ts';

const args = ['--workers', '2'];

async function startWorkers(settings: Settings): Promise<ServerProcess> {
  const server = await startServer(settings, { args });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

function workersOf({ process: { pid } }: Pick<ServerProcess, 'process'>): number[] {
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** Returns true if the process exists. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Signs in over a new connection, so that the workers take turns. */
async function logIn({ url }: ServerProcess): Promise<number> {
  const response = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'x' }),
  });
  await response.body?.cancel();
  return response.status;
}

describe.skipIf(process.platform === 'win32')('two workers', () => {
  it('print one line together, and exit with code 0 on SIGTERM', async () => {
    const server = await startWorkers({ LATCHKEY_DATA: temporaryFolder() });
    const workers = workersOf(server);
    expect(workers).toHaveLength(2);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
    expect(server.stdout()).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\nfirst admin: \S+\n$/);
    expect(workers.filter(isRunning)).toEqual([]);
  });

  it('count requests together', async () => {
    const server = await startWorkers({ LATCHKEY_DATA: temporaryFolder(), LATCHKEY_RATE_LOGIN: '5' });
    const statuses: number[] = [];
    const tookPart = (worker: number) =>
      new RegExp(`"worker":${worker},.*"route":"/api/v1/auth/login"`).test(server.stderr());
    // Repeats until both have taken part: while one is busy, the other accepts all connections.
    const sendMany = async () => {
      statuses.push(...(await Promise.all(Array.from({ length: 40 }, () => logIn(server)))));
      return [1, 2].every(tookPart);
    };
    await expect.poll(sendMany).toBe(true);
    expect(statuses.filter((status) => status === 404)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - 5);
  });

  it('allow exactly five activations of a license for five devices, however many are requested at once', async () => {
    const admin = createAdmin();
    const server = await startWorkers({ ...limitsOff, ...admin.settings });
    const client = new TestClient(httpTransport(server.url));
    const user = await signUp(client, newEmail());
    const { license_key: key } = await admin.json<{ license_key: string }>([
      ...['license', 'issue', '--email', user.email, '--max-activations', '5'],
    ]);
    const all = await Promise.all(Array.from({ length: 200 }, () => activateInTime(client, user, key)));
    const codes = all.map(({ response }) => (response.status === 200 ? 'activated' : response.body.code));
    expect(codes.filter((code) => code === 'activated')).toHaveLength(5);
    expect(codes.filter((code) => code === 'MAX_ACTIVATIONS_REACHED')).toHaveLength(195);
  });

  it('continue when one is killed, which is replaced', async () => {
    const server = await startWorkers({ ...limitsOff, LATCHKEY_DATA: temporaryFolder() });
    const [killed = 0, other] = workersOf(server);
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => isRunning(killed)).toBe(false);
    expect(await logIn(server)).toBe(404);
    await expect.poll(() => workersOf(server).length).toBe(2);
    expect(workersOf(server)).toContain(other);
    await expect.poll(() => server.stderr()).toMatch(/"worker":3,"msg":"listening"/);
    expect(await Promise.all(Array.from({ length: 4 }, () => logIn(server)))).toEqual([404, 404, 404, 404]);
    expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
  });

  it('continue when one hangs, which is replaced', async () => {
    const server = await startWorkers({ ...limitsOff, LATCHKEY_DATA: temporaryFolder() });
    const [hung = 0] = workersOf(server);
    process.kill(hung, 'SIGSTOP');
    await expect.poll(() => server.stderr()).toMatch(/"worker":3,"msg":"listening"/);
    expect(isRunning(hung)).toBe(false);
    expect(await Promise.all(Array.from({ length: 4 }, () => logIn(server)))).toEqual([404, 404, 404, 404]);
    expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
  });

  it('exit immediately even if one of them has only just been restarted', async () => {
    const server = await startWorkers({ LATCHKEY_DATA: temporaryFolder() });
    const before = workersOf(server);
    process.kill(before[0] ?? 0, 'SIGKILL');
    await expect.poll(() => workersOf(server).filter((pid) => !before.includes(pid)), { interval: 10 }).toHaveLength(1);
    expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('leave nothing behind on %s while they start', async (signal) => {
    const starting = spawnServer({ LATCHKEY_DATA: temporaryFolder() }, { args });
    await expect.poll(() => workersOf(starting), { interval: 5 }).toHaveLength(1);
    const workers = workersOf(starting);
    starting.process.kill(signal);
    expect(await starting.exited).toStrictEqual({ code: 0, signal: null });
    expect(workers.filter(isRunning)).toEqual([]);
    expect([starting.stdout(), starting.stderr()]).toEqual(['', '']);
  });

  it('exit when the primary process is killed', async () => {
    const server = await startWorkers({ LATCHKEY_DATA: temporaryFolder() });
    const workers = workersOf(server);
    await server.kill();
    await expect.poll(() => workers.filter(isRunning)).toEqual([]);
  });
});

describe('the number of workers', () => {
  it.each(['0', '-1', '1.5', 'many', '65', ''])('cannot be "%s"', async (count) => {
    const { code, stdout, stderr } = await runUntilExit({ LATCHKEY_DATA: temporaryFolder() }, [`--workers=${count}`]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^--workers must be a whole number from 1 to 64\n/);
  });
});

it('workers that cannot listen report it once', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  onTestFinished(() => void holder.close());
  const { port } = holder.address() as AddressInfo;
  const settings = { LATCHKEY_DATA: temporaryFolder(), LATCHKEY_PORT: String(port) };
  const { code, stderr } = await runUntilExit(settings, args);
  expect(code).toBe(1);
  expect(stderr.match(/cannot start: .*EADDRINUSE/g)).toHaveLength(1);
});
