/** `POST /auth/login`: the right password opens a session, anything else says why not. */
import { beforeAll, describe, expect, it } from 'vitest';
import { accessToken, envelope, refreshToken, timestamp } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { goodPassword, newEmail, type Person, signUp } from '../harness/users.ts';

const service = startedService();
let person: Person;

beforeAll(async () => {
  person = await signUp(service);
});

function signIn(email: string, password: string) {
  return service.call('login', { body: { email, password } });
}

describe('sign-in', () => {
  it('answers 200 with a token set and the user, and nothing else', async () => {
    const { status, body } = await signIn(person.email, person.password);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: timestamp,
      user: { id: person.id, email: person.email, full_name: '' },
    });
  });

  it.each([
    ['in upper case', (email: string) => email.toUpperCase()],
    ['with spaces around it', (email: string) => `\t${email} `],
  ])('knows the email address %s', async (_, spell) => {
    expect((await signIn(spell(person.email), person.password)).body.user).toMatchObject({ id: person.id });
  });

  it('starts a session of its own each time', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => signIn(person.email, person.password)));
    expect(first?.body.refresh_token).not.toBe(second?.body.refresh_token);
    expect(second?.body.refresh_token).not.toBe(person.refreshToken);
  });

  it('ignores fields it does not know', async () => {
    const body = { email: person.email, password: person.password, remember_me: true, otp: 123_456 };
    expect((await service.call('login', { body })).status).toBe(200);
  });
});

describe('a wrong password', () => {
  it.each([
    ['is another', 'quiet harbour lantern 48'],
    ['has another case', goodPassword.toUpperCase()],
    ['is the beginning', goodPassword.slice(0, -1)],
    ['has something after it', `${goodPassword}x`],
    ['is empty', ''],
    ['holds a NUL after the right one', `${goodPassword}\u0000`],
    ['has ten thousand characters', 'x'.repeat(10_000)],
    ['has a lone surrogate', '\udfff-harbour-lantern'],
  ])('is INVALID_CREDENTIALS where it %s', async (_, password) => {
    const { status, body } = await signIn(person.email, password);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  });

  it('is answered with WWW-Authenticate', async () => {
    const { headers } = await signIn(person.email, 'not the password');
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });
});

describe('an email address without an account', () => {
  it.each([
    ['is well formed', newEmail()],
    ['is no address', 'nobody'],
    ['is empty', ''],
    ['has ten thousand characters', `${'a'.repeat(10_000)}@example.com`],
    ['holds SQL', "' OR 1=1 --"],
    ['holds a pattern', 'person-%@example.com'],
    ['holds a NUL', 'nobody\u0000@example.com'],
  ])('is USER_NOT_FOUND where it %s', async (_, email) => {
    const { status, body } = await signIn(email, goodPassword);
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('is USER_NOT_FOUND once the account has been deleted', async () => {
    const gone = await signUp(service);
    await service.admin('user', 'delete', gone.email);
    expect((await signIn(gone.email, gone.password)).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });
});

describe('with LATCHKEY_UNIFORM_LOGIN_ERRORS', () => {
  const uniform = startedService({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });

  it('an unknown account and a wrong password are refused in the same words', async () => {
    const { email } = await signUp(uniform);
    const wrong = await uniform.call('login', { body: { email, password: 'not the password' } });
    const unknown = await uniform.call('login', { body: { email: newEmail(), password: 'not the password' } });
    expect(unknown.status).toBe(401);
    expect(unknown.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect(unknown.text).toBe(wrong.text);
  });

  it('the right password still signs in', async () => {
    const { email, password } = await signUp(uniform);
    expect((await uniform.call('login', { body: { email, password } })).status).toBe(200);
  });
});
