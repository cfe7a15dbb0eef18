/** `admin user`, as processes of their own beside a running server. */
import { describe, expect, it } from 'vitest';
import { expectDocument, expectFailure, expectUsage } from '../harness/expect-command.ts';
import { uuid } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { goodPassword, newEmail, signUp } from '../harness/users.ts';

const service = startedService();

const createUser = (email: string, stdin: string, ...more: string[]) =>
  service.command(['user', 'create', '--email', email, '--password-stdin', '--json', ...more], stdin);

const signIn = (email: string, password: string) => service.call('login', { body: { email, password } });

describe.concurrent('user create', () => {
  it('prints the user and lets the person sign in at once', async () => {
    const email = newEmail();
    const user = expectDocument(await createUser(email, `${goodPassword}\n`, '--full-name', 'Ada Example'));
    expect(user).toMatchObject({ id: uuid, email, full_name: 'Ada Example' });
    expect((await signIn(email, goodPassword)).body.user).toStrictEqual({
      id: user.id,
      email,
      full_name: 'Ada Example',
    });
  });

  it('drops one trailing newline of the password and no more', async () => {
    const email = newEmail();
    expectDocument(await createUser(email, `${goodPassword}\n\n`));
    expect((await signIn(email, goodPassword)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await signIn(email, `${goodPassword}\n`)).status).toBe(200);
  });

  it('takes a password without a trailing newline, spaces and all', async () => {
    const email = newEmail();
    expectDocument(await createUser(email, ` ${goodPassword} `));
    expect((await signIn(email, ` ${goodPassword} `)).status).toBe(200);
  });

  it('shows the password nowhere', async () => {
    const { stdout, stderr } = await createUser(newEmail(), 'a password that is secret');
    expect(stdout + stderr).not.toContain('a password that is secret');
  });

  it('fails with EMAIL_EXISTS where the account exists, in whatever case', async () => {
    const { email } = await signUp(service);
    expectFailure(await createUser(email.toUpperCase(), goodPassword), 'EMAIL_EXISTS');
  });

  it.each([
    ['an email address that is none', 'nobody', goodPassword],
    ['a short password', newEmail(), 'short'],
    ['a common password', newEmail(), 'password123'],
    ['an empty password', newEmail(), ''],
  ])('fails with VALIDATION_ERROR for %s', async (_, email, password) => {
    expectFailure(await createUser(email, password), 'VALIDATION_ERROR');
  });

  it('asks nobody where --json is given: without --password-stdin it is wrong usage', async () => {
    expectUsage(await service.command(['user', 'create', '--email', newEmail(), '--json'], goodPassword));
  });

  it('is wrong usage without an email address', async () => {
    expectUsage(await service.command(['user', 'create', '--password-stdin', '--json'], goodPassword));
  });
});

describe.concurrent('user show, list and delete', () => {
  it('show the user, alone and in an array, until it is deleted', async () => {
    const { id, email } = await signUp(service);
    const user = { id, email, full_name: '' };
    expect(expectDocument(await service.command(['user', 'show', email, '--json']))).toMatchObject(user);
    const all = expectDocument<object[]>(await service.command(['user', 'list', '--json']));
    expect(all).toContainEqual(expect.objectContaining(user));
    expect(expectDocument(await service.command(['user', 'delete', email, '--json']))).toMatchObject(user);
    expectFailure(await service.command(['user', 'show', email, '--json']), 'USER_NOT_FOUND');
    expect((await signIn(email, goodPassword)).body.code).toBe('USER_NOT_FOUND');
  });

  it('find an account by its address in whatever case', async () => {
    const { id, email } = await signUp(service);
    const shown = expectDocument(await service.command(['user', 'show', email.toUpperCase(), '--json']));
    expect(shown).toMatchObject({ id });
  });

  it.each(['show', 'delete'])('fail with USER_NOT_FOUND for nobody: %s', async (verb) => {
    expectFailure(await service.command(['user', verb, newEmail(), '--json']), 'USER_NOT_FOUND');
  });

  it('leave the address free for a new account', async () => {
    const { id, email } = await signUp(service);
    await service.admin('user', 'delete', email);
    expect((await signUp(service, email)).id).not.toBe(id);
  });

  it('never show what a password is kept as', async () => {
    const { email } = await signUp(service);
    const { stdout } = await service.command(['user', 'show', email, '--json']);
    expect(stdout).not.toMatch(/argon|\$v=|hash/i);
  });
});

describe.concurrent('user password', () => {
  it('sets another one and ends every session', async () => {
    const person = await signUp(service);
    const parameters = ['user', 'password', person.email, '--password-stdin', '--json'];
    const user = expectDocument(await service.command(parameters, 'another harbour lantern\n'));
    expect(user).toMatchObject({ id: person.id, email: person.email });
    expect((await signIn(person.email, person.password)).body.code).toBe('INVALID_CREDENTIALS');
    expect((await signIn(person.email, 'another harbour lantern')).status).toBe(200);
    const { body } = await service.call('refresh', { body: { refresh_token: person.refreshToken } });
    expect(body.code).toBe('INVALID_TOKEN');
  });

  it('that is refused leaves the old one and its sessions', async () => {
    const person = await signUp(service);
    const parameters = ['user', 'password', person.email, '--password-stdin', '--json'];
    expectFailure(await service.command(parameters, 'short'), 'VALIDATION_ERROR');
    expect((await signIn(person.email, person.password)).status).toBe(200);
    const { status } = await service.call('refresh', { body: { refresh_token: person.refreshToken } });
    expect(status).toBe(200);
  });

  it('fails with USER_NOT_FOUND for nobody', async () => {
    const parameters = ['user', 'password', newEmail(), '--password-stdin', '--json'];
    expectFailure(await service.command(parameters, goodPassword), 'USER_NOT_FOUND');
  });
});
