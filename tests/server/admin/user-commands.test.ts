/** `user`, from the side of the admin and of the user. */
import { describe, expect, it } from 'vitest';
import { type Admin, createAdmin } from '../../harness/run-admin.ts';
import { startServer } from '../../harness/start-server-old.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

async function createByProcess(admin: Admin, email: string): Promise<void> {
  const { code } = await admin.run(['user', 'create', '--email', email, '--password-stdin'], 'a fine passphrase');
  expect(code).toBe(0);
}

describe('user create', () => {
  it('prints the user, as list and show do from then on', async () => {
    const admin = createAdmin();
    const parameters = ['user', 'create', '--email', 'Ada@Example.com', '--full-name', 'Ada W.', '--password-stdin'];
    const user = await admin.json(parameters, 'a fine passphrase\n');
    expect(user).toEqual({
      id: expect.stringMatching(uuid),
      email: 'Ada@Example.com',
      full_name: 'Ada W.',
      staff: false,
      created_at: expect.stringMatching(timestamp),
    });
    expect(await admin.json(['user', 'list'])).toEqual([user]);
    const shown = await admin.json(['user', 'show', 'ada@example.COM']);
    expect(shown).toEqual({ ...user, subscription: null, licenses: [], api_key: null });
  });

  it('rejects a second account, a bad password, a bad address and a long name, each with its code', async () => {
    const admin = createAdmin();
    await admin.createUser('ada@example.com');
    const create = (email: string, password: string, ...more: string[]) =>
      admin.failure(['user', 'create', '--email', email, '--password-stdin', ...more], password);
    expect(await create('ADA@example.com', 'a fine passphrase')).toMatchObject({ code: 'EMAIL_EXISTS' });
    expect(await create('bob@example.com', 'short')).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await create('bob@example.com', '')).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await create('bob', 'a fine passphrase')).toMatchObject({ code: 'VALIDATION_ERROR' });
    const longName = 'x'.repeat(201);
    expect(await create('bob@example.com', 'a fine passphrase', '--full-name', longName)).toEqual({
      error: expect.stringContaining('200'),
      code: 'VALIDATION_ERROR',
    });
    expect(await admin.json(['user', 'list'])).toHaveLength(1);
  });

  it('prints one sentence on failure without --json', async () => {
    const { code, stdout, stderr } = await createAdmin().run(['user', 'show', 'ada@example.com']);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no account with this email address.\n',
    });
  });
});

describe('the password on standard input', () => {
  it('loses one newline at its end, and nothing else', async () => {
    const admin = createAdmin();
    await admin.createUser('one@example.com', ' spaces stay \n');
    await admin.createUser('two@example.com', 'from windows it comes\r\n');
    await admin.createUser('three@example.com', 'a newline of its own\n\n');
    const server = await startServer(admin.folder);
    const login = async (email: string, password: string) =>
      (await server.call('/auth/login', { email, password })).status;
    expect(await login('one@example.com', ' spaces stay ')).toBe(200);
    expect(await login('two@example.com', 'from windows it comes')).toBe(200);
    expect(await login('three@example.com', 'a newline of its own\n')).toBe(200);
    expect(await login('three@example.com', 'a newline of its own')).toBe(401);
  });

  it('must be UTF-8 and of a reasonable size', async () => {
    const admin = createAdmin();
    const parameters = ['user', 'create', '--email', 'a@example.com', '--password-stdin', '--json'];
    for (const stdin of [Buffer.from([0xc3, 0x28, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]), Buffer.alloc(100_000, 97)]) {
      const { code, stderr } = await admin.run(parameters, stdin);
      expect(code).toBe(1);
      expect(JSON.parse(stderr)).toMatchObject({ code: 'VALIDATION_ERROR' });
    }
  });

  it('is never printed', async () => {
    const admin = createAdmin();
    const parameters = ['user', 'create', '--email', 'a@example.com', '--password-stdin'];
    const made = await admin.run(parameters, 'a secret nobody sees');
    const refused = await admin.run(parameters, 'a secret nobody sees');
    expect(made.stdout + made.stderr + refused.stdout + refused.stderr).not.toContain('a secret nobody sees');
  });
});

describe('while the server runs', () => {
  it('a password change ends every session, and a deletion the account', async () => {
    const admin = createAdmin();
    const server = await startServer(admin.folder);
    const account = { email: 'ada@example.com', password: 'a fine passphrase' };
    const { body: tokens } = await server.call('/auth/signup', { ...account, full_name: '' });

    const changed = await admin.json(['user', 'password', account.email, '--password-stdin'], 'another passphrase\n');
    expect(changed).toMatchObject({ email: account.email });
    const refreshed = await server.call('/auth/refresh', { refresh_token: tokens.refresh_token });
    expect(refreshed.body.code).toBe('INVALID_TOKEN');
    expect((await server.call('/auth/login', account)).body.code).toBe('INVALID_CREDENTIALS');
    const again = await server.call('/auth/login', { ...account, password: 'another passphrase' });
    expect(again.status).toBe(200);

    expect(await admin.json(['user', 'delete', account.email])).toEqual(changed);
    expect((await server.call('/auth/login', account)).body.code).toBe('USER_NOT_FOUND');
    const after = await server.call('/subscription/status', undefined, String(again.body.access_token));
    expect(after.body.code).toBe('INVALID_TOKEN');
    expect(await admin.json(['user', 'list'])).toEqual([]);
  });

  it('concurrent commands all succeed', async () => {
    const admin = createAdmin();
    await startServer(admin.folder);
    const emails = [1, 2, 3, 4, 5, 6].map((number) => `person${number}@example.com`);
    await Promise.all(emails.map((email) => createByProcess(admin, email)));
    const users = await admin.json<{ email: string }[]>(['user', 'list']);
    expect(users.map(({ email }) => email).sort()).toEqual(emails);
  });

  it('concurrent commands before the first start create one database', async () => {
    const admin = createAdmin();
    await Promise.all([1, 2, 3, 4].map((number) => createByProcess(admin, `person${number}@example.com`)));
    expect(await admin.json(['user', 'list'])).toHaveLength(4);
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
  });
});

it.each([
  ['user', ['user show', 'user delete', 'user password --password-stdin']],
  ['others', ['subscription set --plan standard', 'api-key revoke']],
  ['more', ['license issue --email', 'license list --email', 'api-key import-legacy --key k --expires-at 2027-01-01']],
])('an account that does not exist is USER_NOT_FOUND: %s', async (_name, lines) => {
  const admin = createAdmin();
  for (const line of lines) {
    const words = [...line.split(' '), 'nobody@example.com'];
    expect(await admin.failure(words, 'a fine passphrase')).toMatchObject({ code: 'USER_NOT_FOUND' });
  }
});
