/** `admin user`: what it prints, and how a running server applies it. */
import { describe, expect, it } from 'vitest';
import { Admin } from '../../harness/admin.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { timestamp, uuid } from '../../harness/response-shapes.ts';
import { addStaffByLink, signInStaff } from '../../harness/staff.ts';
import { createAdmin, expectDocument, expectFailure } from '../../harness/test-admin.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';

const server = sharedHttpServer();

const createUser = (email: string, stdin: string, ...more: string[]) =>
  server.run(['user', 'create', '--email', email, '--password-stdin', '--json', ...more], stdin);

const signIn = (email: string, password: string) => server.call('login', { body: { email, password } });

describe('user create', () => {
  it('prints the user, who can sign in at once', async () => {
    const email = newEmail();
    const user = expectDocument(await createUser(email, `${goodPassword}\n`, '--full-name', 'Ada Example'));
    expect(user).toMatchObject({ id: uuid, email, full_name: 'Ada Example' });
    expect((await signIn(email, goodPassword)).body.user).toStrictEqual({
      id: user.id,
      email,
      full_name: 'Ada Example',
    });
  });

  it('works as a separate process next to the server', async () => {
    const email = newEmail();
    const words = ['user', 'create', '--email', email, '--password-stdin', '--json'];
    expect(expectDocument(await server.runProcess(words, goodPassword))).toMatchObject({ email });
    expect((await signIn(email, goodPassword)).status).toBe(200);
  });

  it('prints exactly these fields, and show adds what belongs to the account', async () => {
    const email = newEmail().replace('user', 'User');
    const user = expectDocument(await createUser(email, goodPassword, '--full-name', 'Ada W.'));
    expect(user).toStrictEqual({
      id: uuid,
      email,
      full_name: 'Ada W.',
      created_at: timestamp,
      email_confirmed_at: timestamp,
    });
    expect(expectDocument<object[]>(await server.run(['user', 'list', '--json']))).toContainEqual(user);
    expect(expectDocument(await server.run(['user', 'show', email.toLowerCase(), '--json']))).toStrictEqual({
      ...user,
      subscription: null,
      licenses: [],
      api_key: null,
    });
  });

  it('removes one trailing newline from the password, including a Windows one, and no more', async () => {
    const windows = newEmail();
    expectDocument(await createUser(windows, `${goodPassword}\r\n`));
    expect((await signIn(windows, goodPassword)).status).toBe(200);
    const email = newEmail();
    expectDocument(await createUser(email, `${goodPassword}\n\n`));
    expect((await signIn(email, goodPassword)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await signIn(email, `${goodPassword}\n`)).status).toBe(200);
  });

  it('accepts a password without a trailing newline, and keeps its spaces', async () => {
    const email = newEmail();
    expectDocument(await createUser(email, ` ${goodPassword} `));
    expect((await signIn(email, ` ${goodPassword} `)).status).toBe(200);
  });

  it('never prints the password, whether it succeeds or fails', async () => {
    const email = newEmail();
    for (const code of [0, 1]) {
      const { stdout, stderr, ...created } = await createUser(email, 'a password that is secret');
      expect(created.code).toBe(code);
      expect(stdout + stderr).not.toContain('a password that is secret');
    }
  });

  it('accepts only a password in UTF-8 and of reasonable size', async () => {
    const words = ['user', 'create', '--email', newEmail(), '--password-stdin', '--json'];
    const notUtf8 = Buffer.from([0xc3, 0x28, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61]);
    for (const stdin of [notUtf8, Buffer.alloc(100_000, 97)]) {
      expectFailure(await server.run(words, stdin), 'VALIDATION_ERROR');
    }
  });

  it('says how long a name may be', async () => {
    const { stderr } = await createUser(newEmail(), goodPassword, '--full-name', 'x'.repeat(201));
    expect(JSON.parse(stderr)).toStrictEqual({ error: expect.stringContaining('200'), code: 'VALIDATION_ERROR' });
  });

  it('fails with EMAIL_EXISTS if the account exists, regardless of case', async () => {
    const { email } = await signUp(server);
    expectFailure(await createUser(email.toUpperCase(), goodPassword), 'EMAIL_EXISTS');
  });

  it.each([
    ['an invalid email address', 'nobody', goodPassword],
    ['a short password', newEmail(), 'short'],
    ['a common password', newEmail(), 'password123'],
    ['an empty password', newEmail(), ''],
  ])('fails with VALIDATION_ERROR for %s', async (_, email, password) => {
    expectFailure(await createUser(email, password), 'VALIDATION_ERROR');
  });
});

describe('user show, list and delete', () => {
  it('show the user, alone and in an array, until it is deleted', async () => {
    const { id, email } = await signUp(server);
    const user = { id, email, full_name: '' };
    expect(expectDocument(await server.run(['user', 'show', email, '--json']))).toMatchObject(user);
    const all = expectDocument<object[]>(await server.run(['user', 'list', '--json']));
    expect(all).toContainEqual(expect.objectContaining(user));
    expect(expectDocument(await server.run(['user', 'delete', email, '--json']))).toMatchObject(user);
    expectFailure(await server.run(['user', 'show', email, '--json']), 'USER_NOT_FOUND');
    expect((await signIn(email, goodPassword)).body.code).toBe('USER_NOT_FOUND');
  });

  it('invalidate the access token of a deleted account', async () => {
    const { email, token } = await signUp(server);
    await server.admin('user', 'delete', email);
    expect((await server.call('subscriptionStatus', { token })).body.code).toBe('INVALID_TOKEN');
  });

  it('report an error in one sentence without --json', async () => {
    expect(await server.run(['user', 'show', newEmail()])).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'There is no account with this email address.\n',
    });
  });

  it('find an account by its address regardless of case', async () => {
    const { id, email } = await signUp(server);
    const shown = expectDocument(await server.run(['user', 'show', email.toUpperCase(), '--json']));
    expect(shown).toMatchObject({ id });
  });

  it('allow a new account with the address of a deleted one', async () => {
    const { id, email } = await signUp(server);
    await server.admin('user', 'delete', email);
    expect((await signUp(server, email)).id).not.toBe(id);
  });

  it('never show a password or its hash', async () => {
    const { email } = await signUp(server);
    const { stdout } = await server.run(['user', 'show', email, '--json']);
    expect(stdout).not.toMatch(/argon|\$v=|hash/i);
  });
});

describe('user password', () => {
  it('sets another password and ends every session', async () => {
    const user = await signUp(server);
    const parameters = ['user', 'password', user.email, '--password-stdin', '--json'];
    const printed = expectDocument(await server.run(parameters, 'another harbour lantern\n'));
    expect(printed).toMatchObject({ id: user.id, email: user.email });
    expect((await signIn(user.email, user.password)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await signIn(user.email, 'another harbour lantern')).status).toBe(200);
    const { body } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    expect(body.code).toBe('INVALID_TOKEN');
  });

  it('keeps the old password and its sessions if the new one is rejected', async () => {
    const user = await signUp(server);
    const parameters = ['user', 'password', user.email, '--password-stdin', '--json'];
    expectFailure(await server.run(parameters, 'short'), 'VALIDATION_ERROR');
    expect((await signIn(user.email, user.password)).status).toBe(200);
    const { status } = await server.call('refresh', { body: { refresh_token: user.refreshToken } });
    expect(status).toBe(200);
  });
});

it('user password says that it revoked the API key of an account whose password support had set', async () => {
  const support = await signInStaff(server, await addStaffByLink(server, 'support'));
  const { id, email, token, password } = await signUp(server);
  await server.admin('subscription', 'set', email, '--plan', 'standard');
  const { body: key } = await server.call('apiKey', { token });
  await support.expectOk('setAccountPassword', { at: id, body: { password } });
  const { code, stdout, stderr } = await server.run(['user', 'password', email, '--password-stdin'], goodPassword);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain(email);
  expect(stderr).toContain(`The API key ${String(key.api_key).slice(0, 13)}… was revoked`);
  const again = await server.run(['user', 'password', email, '--password-stdin'], goodPassword);
  expect(again.stderr).toBe('');
});

describe('several commands at once', () => {
  const createByProcess = async (admin: Admin, email: string) => {
    const { code } = await admin.run(['user', 'create', '--email', email, '--password-stdin'], 'a fine passphrase');
    expect(code).toBe(0);
  };

  it('all succeed next to a running server', async () => {
    const emails = [1, 2, 3, 4, 5, 6].map(() => newEmail());
    const admin = new Admin(server.dataFolder);
    await Promise.all(emails.map((email) => createByProcess(admin, email)));
    const users = await admin.json<{ email: string }[]>(['user', 'list']);
    expect(users.map(({ email }) => email)).toEqual(expect.arrayContaining(emails));
  });

  it('create one database together before the first start', async () => {
    const admin = createAdmin();
    await Promise.all([1, 2, 3, 4].map((number) => createByProcess(admin, `user${number}@example.com`)));
    expect(await admin.json(['user', 'list'])).toHaveLength(4);
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
  });
});

describe('an account that does not exist', () => {
  it.each([
    'user show',
    'user delete',
    'user password --password-stdin',
    'subscription set --plan standard',
    'api-key revoke',
    'license issue --email',
    'license list --email',
    'api-key import-legacy --key k --expires-at 2027-01-01',
  ])('gets USER_NOT_FOUND from %s', async (line) => {
    expectFailure(await server.run([...line.split(' '), newEmail(), '--json'], goodPassword), 'USER_NOT_FOUND');
  });
});
