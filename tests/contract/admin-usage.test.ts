/** The admin command as a whole: wrong usage, settings, and a database of its own where no server ran yet. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAdmin } from '../harness/admin-command.ts';
import { expectDocument, expectFailure, expectUsage } from '../harness/expect-command.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { goodPassword, newEmail } from '../harness/users.ts';

const dataFolder = makeTemporaryFolder();
const settings = { LATCHKEY_DATA: dataFolder };

// The first command makes the database and the secrets, before there are several at once.
beforeAll(async () => {
  await runAdmin(['plan', 'list', '--json'], { settings });
});

afterAll(() => removeFolder(dataFolder));

describe.concurrent('wrong usage', () => {
  it.each([
    ['nothing at all', []],
    ['an unknown noun', ['dragon', 'list']],
    ['a noun alone', ['user']],
    ['an unknown verb', ['user', 'promote', 'a@example.com']],
    ['an unknown option', ['user', 'list', '--sorted']],
    ['an argument that is missing', ['user', 'show']],
    ['an argument too many', ['user', 'list', 'a@example.com']],
    ['an option without its value', ['license', 'list', '--email']],
    ['a backup without a file', ['backup']],
  ])('prints the usage on stderr and exits 2: %s', async (_, parameters) => {
    expectUsage(await runAdmin([...parameters, '--json'], { settings }));
  });
});

describe('help', () => {
  it('is no failure', async () => {
    const { code, stdout } = await runAdmin(['--help'], { settings });
    expect(code).toBe(0);
    for (const noun of ['user', 'plan', 'subscription', 'license', 'api-key', 'installer', 'backup']) {
      expect(stdout).toContain(noun);
    }
  });
});

describe('without a server', () => {
  it('an account can be made, and is there for the next command', async () => {
    const email = newEmail();
    const input = { settings, stdin: goodPassword };
    const made = expectDocument(
      await runAdmin(['user', 'create', '--email', email, '--password-stdin', '--json'], input),
    );
    const shown = expectDocument(await runAdmin(['user', 'show', email, '--json'], { settings }));
    expect(shown).toMatchObject(made);
  });

  it('lists are arrays, empty ones too', async () => {
    expect(expectDocument(await runAdmin(['license', 'list', '--json'], { settings }))).toStrictEqual([]);
  });
});

describe.concurrent('without --json', () => {
  it('a list is text for people', async () => {
    const { code, stdout, stderr } = await runAdmin(['plan', 'list'], { settings });
    expect({ code, stderr }).toStrictEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('standard');
    expect(() => JSON.parse(stdout)).toThrow();
  });

  it('a failure is a sentence on stderr and exits 1', async () => {
    const { code, stdout, stderr } = await runAdmin(['user', 'show', newEmail()], { settings });
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(() => JSON.parse(stderr)).toThrow();
  });
});

describe('the settings', () => {
  it('are those of the server: an unknown one is named', async () => {
    const result = await runAdmin(['plan', 'list', '--json'], { settings: { ...settings, LATCHKEY_DATUM: 'x' } });
    expect(result.code).toBe(1);
    expect(result.stdout).toBe('');
    expect(JSON.parse(result.stderr)).toStrictEqual({
      error: expect.stringContaining('LATCHKEY_DATUM'),
      code: expect.any(String),
    });
  });
});

describe('check', () => {
  it('finds nothing wrong with sound data', async () => {
    expect(expectDocument(await runAdmin(['check', '--json'], { settings }))).toMatchObject({ ok: true, problems: [] });
  });

  it('fails with NOT_FOUND where there is no database', async () => {
    const empty = makeTemporaryFolder();
    expectFailure(await runAdmin(['check', '--json'], { settings: { LATCHKEY_DATA: empty } }), 'NOT_FOUND');
    removeFolder(empty);
  });
});
