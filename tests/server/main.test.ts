/** The server as a process: what it prints, how it stops, and how it says why it cannot start. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingsTable } from '../../server/settings-table.ts';

const main = fileURLToPath(new URL('../../server/main.ts', import.meta.url));
let folder: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-main-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  rmSync(folder, { recursive: true, force: true });
});

const start = (environment: Record<string, string> = {}, ...args: string[]) => {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(LATCHKEY_|VITEST|NODE_OPTIONS)/.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    LATCHKEY_DATA: join(folder, 'data'),
    LATCHKEY_PORT: '0',
    ...environment,
  };
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
};
const finish = async (child: ReturnType<typeof start>) => {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { stdout, stderr, code: child.exitCode };
};
const listening = async (child: ReturnType<typeof start>) => {
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  return String(line);
};

describe('the server', () => {
  it('prints one line when it listens, and exits with 0 on SIGTERM', async () => {
    const child = start();
    const line = await listening(child);
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    const url = line.trim().split(' ').at(-1);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await finish(child)).toMatchObject({ stdout: '', code: 0 });
  });

  it('finishes a pending request before it exits', async () => {
    const child = start();
    const port = Number(/:(\d+)\n/.exec(await listening(child))?.[1]);
    const body = JSON.stringify({ email: 'ada@example.com', password: 'violet tram' });
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    const head = `POST /api/v1/auth/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    socket.write(head + body.slice(0, 10));
    await fetch(`http://127.0.0.1:${port}/healthz`);
    child.kill('SIGTERM');
    // Once it takes no new connections it has begun to stop, with this request half sent.
    while (await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined));
    socket.write(body.slice(10));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/connection: close/i);
    expect(await finish(child)).toMatchObject({ code: 0 });
  });

  it.skipIf(process.platform === 'win32')(
    'stops when the shell of npm run ends, which passes no signal on',
    async () => {
      const env = { ...process.env, LATCHKEY_DATA: folder, LATCHKEY_PORT: '0', npm_lifecycle_event: 'server' };
      const shell = spawn('sh', ['-c', `"${process.execPath}" "${main}"; true`], {
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      started.push(shell);
      const [line] = await once(shell.stdout.setEncoding('utf8'), 'data');
      const address = `http:${String(line).trim().split('http:')[1]}/healthz`;
      expect((await fetch(address)).status).toBe(200);
      shell.kill('SIGTERM');
      await expect.poll(() => fetch(address).catch(() => null), { timeout: 10_000 }).toBeNull();
    },
  );

  it.each([
    ['an unknown setting', { LATCHKEY_PROT: '1' }, /^cannot start: LATCHKEY_PROT is not a setting/],
    ['a missing certificate', { LATCHKEY_TLS_CERT: 'a.pem', LATCHKEY_TLS_KEY: 'b.pem' }, /a\.pem/],
    [
      'an address that the machine does not have',
      { LATCHKEY_HOST: '192.0.2.1', LATCHKEY_ALLOW_HTTP: '1' },
      /LATCHKEY_HOST 192\.0\.2\.1.*EADDRNOTAVAIL/,
    ],
  ])('says in one line that it cannot start because of %s', async (_what, environment, reason) => {
    const { code, stdout, stderr } = await finish(start({ ...environment, LATCHKEY_LOG_LEVEL: 'silent' } as never));
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('prints every setting on --help, and does not start', async () => {
    const { code, stdout, stderr } = await finish(start({ LATCHKEY_PROT: '1' }, '--help'));
    expect(code).toBe(0);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^usage: npm run server/);
    for (const name of Object.keys(settingsTable)) expect(stdout).toContain(`  ${name} (default: `);
    expect(stdout).not.toContain('`');
  });

  it.each(['--prot', 'start', '--help=yes'])('rejects the argument %s with the usage', async (argument) => {
    const { code, stdout, stderr } = await finish(start({}, argument));
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/argument|option/i);
    expect(stderr).toContain('usage: npm run server');
  });

  it('rejects a file that is not its database', async () => {
    writeFileSync(join(folder, 'latchkey.db'), 'my diary');
    const { code, stderr } = await finish(start({ LATCHKEY_DATA: folder }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cannot start: .* is not a database of this service/);
  });

  it('names the setting of a data folder that cannot be one', async () => {
    writeFileSync(join(folder, 'file'), '');
    const { code, stderr } = await finish(start({ LATCHKEY_DATA: join(folder, 'file') }));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^cannot start: LATCHKEY_DATA is wrong: .*file cannot be used \(EEXIST/);
  });

  it('says that a port is taken', async () => {
    const first = start();
    const port = /:(\d+)\n/.exec(await listening(first))?.[1] ?? '';
    const { code, stderr } = await finish(start({ LATCHKEY_PORT: port, LATCHKEY_DATA: join(folder, 'other') }));
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`LATCHKEY_PORT ${port}.*EADDRINUSE`));
  });
});
