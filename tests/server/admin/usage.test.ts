/** Usage errors of the admin commands, and their help. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { runCommandHere } from '../../harness/admin.ts';
import { createAdmin, expectDocument, temporaryFolder } from '../../harness/test-admin.ts';

const hex = 'ab'.repeat(32);

describe('a usage error exits with 2, and prints the usage on standard error only', () => {
  it.each([
    [''],
    ['user'],
    ['frobnicate'],
    ['user frobnicate'],
    ['user show'],
    ['user show a@b.example c@d.example'],
    ['user list --all'],
    ['user list a@b.example'],
    ['user list --limit -1'],
    ['license list --limit all'],
    ['plan list --after user-1@example.com'],
    ['license list --email'],
    ['user create --password-stdin'],
    ['user create --email a@b.example'],
    ['user password a@b.example'],
    ['staff add'],
    ['staff add a@b.example --role king'],
    ['plan set'],
    ['plan set standard --max-devices many'],
    ['plan set standard --max-devices -1'],
    ['plan set standard --max-devices 1.5'],
    ['plan set standard --lease-days 0'],
    ['feature set pdf_export --hidden perhaps'],
    ['feature remove'],
    ['plan set standard --feature csv_export=yes'],
    ['plan set standard --feature csv_export'],
    ['plan set standard --feature max_devices=3'],
    ['subscription set a@b.example'],
    ['subscription set a@b.example --plan standard --status paused'],
    ['subscription set a@b.example --plan standard --status revoked'],
    ['subscription set a@b.example --plan standard --period-end tomorrow'],
    ['subscription set a@b.example --plan standard --period-end 2027-02-29'],
    ['subscription set a@b.example --plan standard --period-end 2027-01-01T25:00:00Z'],
    ['license issue --with-subscription'],
    ['license issue --max-activations 0x10'],
    ['license issue --expires-at 1893456000'],
    ['license issue for-me'],
    ['license set 123'],
    ['license set 123 --status suspended'],
    ['license set 123 --status canceled'],
    ['license set 123 --status active --updates-until none'],
    ['license set 123 --updates-until never'],
    ['license set 123 --updates-until none --dry-run'],
    ['license set 123 --dry-run'],
    ['license release 123'],
    ['lease sign request.json'],
    ['api-key import-legacy a@b.example --key k'],
    ['api-key import-legacy a@b.example --expires-at 2027-01-01'],
    [`api-key import-legacy a@b.example --key k --sha256 ${hex} --expires-at 2027-01-01`],
    ['api-key import-legacy a@b.example --key k --key-stdin --expires-at 2027-01-01'],
    [`api-key import-legacy a@b.example --key-stdin --sha256 ${hex} --expires-at 2027-01-01`],
    [`api-key import-legacy a@b.example --sha256 ${hex}0 --expires-at 2027-01-01`],
    ['api-key revoke'],
    ['installer publish'],
    ['installer publish 1.0.0'],
    ['installer publish 1.0.0 --linux-arm64 file'],
    [`installer publish 1.0.0 --linux-amd64 sha256:${hex}0`],
    [`installer publish --linux-amd64 sha256:${hex}`],
    [`installer publish 1.0.0 --solaris sha256:${hex}`],
    ['installer publish 1.0.0 --feed'],
    [`installer publish 1.0.0 --feed --windows-x64 sha256:${hex}`],
    ['installer publish 1.0.0 --feed --manifest x.jws'],
    ['installer publish 1.0.0 --feed --macos-zip x.zip --percent 101'],
    ['installer publish 1.0.0 --macos-zip x.zip'],
    [`installer publish 1.0.0 --windows-x64 sha256:${hex} --percent 5`],
    ['installer rollout 1.0.0'],
    ['installer clear 1.0.0'],
    ['key'],
    ['key rotate lease'],
    ['key rotate --purpose all'],
    ['key rotate --prepare'],
    ['key rotate --purpose access-token --prepare'],
    ['key rotate --purpose lease --prepare --compromised'],
    ['key rotate --purpose master --compromised'],
    ['audit'],
    ['audit list --since yesterday'],
    ['audit list --limit 0'],
    ['audit list --action plan.set'],
    ['audit export'],
    ['backup'],
    ['restore'],
    ['check everything'],
  ])('%s', async (line) => {
    const words = line.split(' ').filter((word) => word !== '');
    for (const format of [[], ['--json']]) {
      const folder = temporaryFolder();
      const { code, stdout, stderr } = await runCommandHere([...words, ...format], {
        settings: { LATCHKEY_DATA: folder },
      });
      expect(code).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^Usage: admin/);
      expect(readdirSync(folder)).toEqual([]);
    }
  });

  it('when run as a process', async () => {
    const { code, stdout, stderr } = await createAdmin().run(['license', 'set', '123', '--status', 'lost', '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage: admin license set');
  });
});

it('an unknown command is reported at the end of a short text', async () => {
  const { stderr } = await runCommandHere(['licenses', 'list'], { settings: {} });
  expect(stderr).toMatch(/^Usage: admin .*\nAdd --help for more\.\n\nerror: unknown command 'licenses'/);
  expect(stderr.split('\n').length).toBeLessThan(8);
});

describe('help', () => {
  it.each(['--help', 'user --help', 'license issue --help', 'help plan'])(
    '%s is printed on standard output',
    async (line) => {
      const { code, stdout, stderr } = await runCommandHere(line.split(' '), { settings: {} });
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: admin');
      expect(stderr).toBe('');
    },
  );

  it('lists every noun and the commands without a noun', async () => {
    const { stdout } = await runCommandHere(['--help'], { settings: {} });
    const commands = ['user', 'plan', 'subscription', 'license', 'api-key', 'installer', 'audit'];
    for (const command of [...commands, 'backup', 'restore', 'check'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });
});

it('accepts --json before the noun too', async () => {
  const { code, stdout } = await createAdmin().run(['--json', 'user', 'list']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual([]);
});

describe('as a process', () => {
  it('help exits with 0 and lists every noun', async () => {
    const { code, stdout } = await createAdmin().run(['--help']);
    expect(code).toBe(0);
    for (const noun of ['user', 'plan', 'subscription', 'license', 'api-key', 'installer', 'backup']) {
      expect(stdout).toContain(noun);
    }
  });

  it('a command works without a server, and the next one finds what it created', async () => {
    const admin = createAdmin();
    const words = ['user', 'create', '--email', 'ada@example.com', '--password-stdin', '--json'];
    const made = expectDocument(await admin.run(words, 'a fine passphrase'));
    expect(expectDocument(await admin.run(['user', 'show', 'ada@example.com', '--json']))).toMatchObject(made);
  });

  it('a failure exits with 1, and prints one sentence without --json', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const { code, stdout, stderr } = await admin.run(['user', 'show', 'ada@example.com']);
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(() => JSON.parse(stderr)).toThrow();
  });

  it('an unknown setting is named', async () => {
    const { code, stdout, stderr } = await createAdmin({ LATCHKEY_DATUM: 'x' }).run(['plan', 'list', '--json']);
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toStrictEqual({
      error: expect.stringContaining('LATCHKEY_DATUM'),
      code: 'CANNOT_START',
    });
  });
});

describe('without --json', () => {
  it('a list is plain text', async () => {
    const admin = createAdmin();
    await admin.json(['plan', 'list']);
    const { code, stdout, stderr } = await admin.runHere(['plan', 'list']);
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('standard');
    expect(() => JSON.parse(stdout)).toThrow();
  });
});

describe('with --json', () => {
  it('an empty list is an empty array', async () => {
    expect(expectDocument(await createAdmin().runHere(['license', 'list', '--json']))).toStrictEqual([]);
  });
});
