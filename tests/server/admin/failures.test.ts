/** Commands that cannot run: wrong settings, the database of another program, missing secrets. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { childEnvironment, repository } from '../../harness/environment.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';

it('a wrong setting is named', async () => {
  const failure = await createAdmin({ LATCHKEY_PROT: '1' }).failure(['user', 'list']);
  expect(failure).toEqual({ error: expect.stringContaining('LATCHKEY_PROT'), code: 'CANNOT_START' });
});

it('several wrong settings are named at once', async () => {
  const failure = await createAdmin({ LATCHKEY_PROT: '1', LATCHKEY_RATE_LOGIN: 'none' }).failure(['user', 'list']);
  expect(failure).toEqual({
    error: expect.stringMatching(/LATCHKEY_PROT.*; LATCHKEY_RATE_LOGIN/),
    code: 'CANNOT_START',
  });
});

it('a file that is not a database of the service is left unchanged', async () => {
  const admin = createAdmin();
  writeFileSync(join(admin.folder, 'latchkey.db'), '');
  expect(await admin.failure(['user', 'list'])).toMatchObject({ code: 'CANNOT_START' });
  expect(await admin.failure(['backup', join(admin.folder, 'b.tar')])).toMatchObject({ code: expect.any(String) });
});

it('a new database is announced on stderr, only once and not with --json', async () => {
  const admin = createAdmin();
  expect((await admin.runHere(['plan', 'list'])).stderr).toBe(
    `There was no database at ${join(admin.folder, 'latchkey.db')}; a new one was created.\n`,
  );
  expect((await admin.runHere(['plan', 'list'])).stderr).toBe('');
  expect((await createAdmin().runHere(['plan', 'list', '--json'])).stderr).toBe('');
});

it('a command that only reads creates no database in the default folder, because LATCHKEY_DATA was forgotten', () => {
  const folder = temporaryFolder();
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(repository, 'server/admin/admin.ts'), ...words, '--json'], {
      cwd: folder,
      env: childEnvironment({}),
      encoding: 'utf8',
    });
  for (const [words, code] of [
    [['license', 'list'], 'CANNOT_START'],
    [['check'], 'NOT_FOUND'],
  ] as const) {
    const { status, stderr } = run(...words);
    const error = expect.stringMatching(/There is no database at .*: set LATCHKEY_DATA or DATABASE_URL/);
    expect([status, JSON.parse(stderr)], words.join(' ')).toEqual([1, { error, code }]);
  }
  expect(readdirSync(folder)).toEqual([]);
  expect(run('plan', 'set', 'lab').status).toBe(0);
  expect(run('plan', 'list').status).toBe(0);
});

it.skipIf(!existsSync('/dev/full'))(
  'a result that cannot be printed does not look like a command that did nothing',
  async () => {
    const admin = createAdmin();
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const run = (...words: string[]) =>
      spawnSync(process.execPath, [join(repository, 'server/admin/admin.ts'), ...words], {
        env: childEnvironment(admin.settings),
        stdio: ['ignore', full, 'pipe'],
        encoding: 'utf8',
      });
    await admin.json(['plan', 'list']);
    expect(run('license', 'issue')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^The result cannot be printed \(ENOSPC.+\), but the command was carried out\.\n$/),
    });
    const listed = run('license', 'list');
    expect(listed).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^The result cannot be printed .+\)\.\n$/),
    });
    expect(await admin.json(['license', 'list'])).toHaveLength(1);
  },
);

it('missing secrets are not recreated', async () => {
  const admin = createAdmin();
  await admin.json(['user', 'list']);
  rmSync(join(admin.folder, 'secrets.json'));
  expect(await admin.failure(['user', 'list'])).toEqual({
    error: expect.stringContaining('secrets.json is missing'),
    code: 'CANNOT_START',
  });
});

it('a reader that closes the pipe does not cause a failure', async () => {
  const { folder } = createAdmin();
  const command = `"$NODE" "$ADMIN" plan list --json | true; exit "\${PIPESTATUS[0]}"`;
  const environment = {
    LATCHKEY_DATA: folder,
    NODE: process.execPath,
    ADMIN: join(repository, 'server/admin/admin.ts'),
  };
  const ended = spawnSync('bash', ['-c', command], { env: childEnvironment(environment), encoding: 'utf8' });
  expect(ended).toMatchObject({ status: 0, stderr: '' });
});

it('a database that stays locked leads to SERVICE_UNAVAILABLE after a while', async () => {
  const admin = createAdmin();
  await admin.json(['user', 'list']);
  const other = new DatabaseSync(join(admin.folder, 'latchkey.db'));
  other.exec('begin immediate');
  expect(await admin.failure(['plan', 'set', 'lab'])).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  other.exec('rollback');
  other.close();
  expect(await admin.json(['plan', 'set', 'lab'])).toMatchObject({ name: 'lab' });
});
