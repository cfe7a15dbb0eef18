/** The server as a process: its output, its command line, and when it stops. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readVersion } from '../../server/own-package.ts';
import { settingsTable } from '../../server/settings/settings-table.ts';
import { childEnvironment, repository } from '../harness/environment.ts';
import { runUntilExit, startServer } from '../harness/start-server.ts';
import { createAdmin, temporaryFolder } from '../harness/test-admin.ts';

describe('the server', () => {
  it('prints where it listens and a link for the first admin, and exits with 0 on SIGTERM', async () => {
    const server = await startServer({ LATCHKEY_DATA: temporaryFolder() });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    await expect.poll(server.stdout).toMatch(/^first admin/m);
    expect(await server.stop()).toStrictEqual({ code: 0, signal: null });
    expect(server.stdout()).toMatch(
      /^listening on http:\/\/127\.0\.0\.1:(\d+)\nfirst admin: http:\/\/localhost:\1\/admin#\/welcome\?token=[\w-]{43}\n$/,
    );
  });

  it.each(['SIGINT', 'SIGHUP'] as const)('stops on %s as on SIGTERM', async (signal) => {
    const server = await startServer({ LATCHKEY_DATA: temporaryFolder() });
    server.process.kill(signal);
    expect(await server.exited).toStrictEqual({ code: 0, signal: null });
    expect(server.stderr()).toContain('"msg":"stopped"');
  });

  it('logs its version, its database and whether that is new when it starts, and that it has stopped', async () => {
    const folder = temporaryFolder();
    const started = { version: readVersion(), database: join(folder, 'latchkey.db') };
    for (const msg of ['started with a new database', 'started']) {
      const server = await startServer({ LATCHKEY_DATA: folder });
      await server.stop();
      const lines = server
        .stderr()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { msg: string });
      expect(lines).toContainEqual(expect.objectContaining({ ...started, msg }));
      expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
    }
  });

  it('creates no database if its port is taken', async () => {
    const folder = temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await runUntilExit({ LATCHKEY_DATA: folder, LATCHKEY_PORT: String(port) });
    expect([code, stderr]).toStrictEqual([1, expect.stringMatching(/^cannot start: LATCHKEY_HOST .* cannot be used/)]);
    expect(existsSync(join(folder, 'latchkey.db'))).toBe(false);
  });

  it('prints the link for the first admin with its public address, even with several workers', async () => {
    const settings = { LATCHKEY_DATA: temporaryFolder(), LATCHKEY_PUBLIC_URL: 'https://licenses.example.com/' };
    const server = await startServer(settings, { args: ['--workers', '2'] });
    await expect.poll(server.stdout).toMatch(/^first admin/m);
    await server.stop();
    expect(server.stdout()).toMatch(
      /^first admin: https:\/\/licenses\.example\.com\/admin#\/welcome\?token=[\w-]{43}$/m,
    );
  });

  it('does not print the link once there is staff', async () => {
    const admin = createAdmin();
    await admin.json(['staff', 'add', 'ada@example.com']);
    const server = await startServer({ LATCHKEY_DATA: admin.folder });
    // By the time the server stops, it would have printed the line.
    await fetch(`${server.url}/readyz`);
    await server.stop();
    expect(server.stdout()).toMatch(/^listening on \S+\n$/);
  });

  it.skipIf(process.platform === 'win32')(
    'stops when the shell of npm run ends without passing on the signal',
    async () => {
      const settings = { LATCHKEY_DATA: temporaryFolder(), LATCHKEY_PORT: '0', npm_lifecycle_event: 'server' };
      // Like npm, which runs a script in a shell that ends on SIGTERM without passing it on to its child.
      const shell = spawn('sh', ['-c', `"${process.execPath}" "${join(repository, 'server/main.ts')}"; true`], {
        env: childEnvironment(settings),
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      onTestFinished(() => void shell.kill('SIGKILL'));
      const [line] = await once(createInterface(shell.stdout), 'line');
      const address = `${/http:\S+/.exec(line)?.[0]}/healthz`;
      expect((await fetch(address)).status).toBe(200);
      shell.kill('SIGTERM');
      await expect.poll(() => fetch(address).catch(() => null)).toBeNull();
    },
  );

  it.runIf(process.platform === 'linux')(
    'gives password hashing threads a lower priority than the others',
    async () => {
      const server = await startServer({ LATCHKEY_DATA: temporaryFolder() });
      onTestFinished(async () => void (await server.stop()));
      const { pid } = server.process;
      const threads = readdirSync(`/proc/${pid}/task`).map((id) => ({
        name: readFileSync(`/proc/${pid}/task/${id}/comm`, 'utf8').trim(),
        nice: getPriority(Number(id)),
      }));
      const pool = threads.filter(({ name }) => name === 'libuv-worker').map(({ nice }) => nice);
      const others = threads.filter(({ name }) => name !== 'libuv-worker').map(({ nice }) => nice);
      expect(pool.length).toBeGreaterThan(0);
      expect(Math.min(...pool)).toBe(Math.min(19, getPriority() + 5));
      expect(new Set(others)).toStrictEqual(new Set([getPriority()]));
    },
  );

  it('prints every setting with --help, and does not start', async () => {
    const { code, stdout, stderr } = await runUntilExit({ LATCHKEY_PROT: '1' }, ['--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^usage: npm run server/);
    for (const name of Object.keys(settingsTable)) expect(stdout).toContain(`  ${name} (default: `);
    expect(stdout).not.toContain('`');
  });

  it.each(['--prot', 'start', '--help=yes'])('rejects the argument %s and prints the usage', async (argument) => {
    const { code, stdout, stderr } = await runUntilExit({ LATCHKEY_DATA: temporaryFolder() }, [argument]);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/argument|option/i);
    expect(stderr).toContain('usage: npm run server');
  });
});
