/** `POST /auth/login`: the right password starts a session, and anything else gets an error that says why. */
import { hash } from '@node-rs/argon2';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { accessToken, envelope, refreshToken, timestamp } from '../../harness/response-shapes.ts';
import { auditActions } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail, signUp, type User } from '../../harness/users.ts';

const server = sharedApp();
let user: User;

beforeAll(async () => {
  user = await signUp(server);
});

function signIn(email: string, password: string) {
  return server.call('login', { body: { email, password } });
}

describe('sign-in', () => {
  it('responds with 200, a token set and the user, and nothing else', async () => {
    const { status, body } = await signIn(user.email, user.password);
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: timestamp,
      user: { id: user.id, email: user.email, full_name: '' },
    });
  });

  it.each([
    ['in upper case', (email: string) => email.toUpperCase()],
    ['with spaces around it', (email: string) => `\t${email} `],
  ])('accepts the email address %s', async (_, spell) => {
    expect((await signIn(spell(user.email), user.password)).body.user).toMatchObject({ id: user.id });
  });

  it('returns the email address as it was written at sign-up', async () => {
    const written = newEmail().replace('user', 'Ada');
    const { password } = await signUp(server, written);
    expect((await signIn(written.toLowerCase(), password)).body.user).toMatchObject({ email: written });
  });

  it('is recorded in the audit log, with its address', async () => {
    const app = await startTestApp();
    const { email, password } = await signUp(app);
    await app.call('login', { body: { email, password }, from: '192.0.2.1' });
    expect(await auditActions(app, 'account.sign_in')).toMatchObject([
      { actor: email, target: `account ${email}`, address: '192.0.2.1' },
    ]);
  });

  it('rehashes a password that was hashed with weaker parameters', async () => {
    const { id, email, password } = await signUp(server);
    const weak = await hash(password, { memoryCost: 8192, timeCost: 1 });
    await server.database.write((transaction) =>
      transaction.updateTable('users').set({ password_hash: weak }).where('id', '=', id).execute(),
    );
    expect((await signIn(email, password)).status).toBe(200);
    const users = server.database.read.selectFrom('users').select('password_hash').where('id', '=', id);
    expect((await users.executeTakeFirstOrThrow()).password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await signIn(email, password)).status).toBe(200);
  });

  it('succeeds twice at once while the password is rehashed', async () => {
    const { id, email, password } = await signUp(server);
    const weak = await hash(password, { memoryCost: 8192, timeCost: 1 });
    await server.database.write((transaction) =>
      transaction.updateTable('users').set({ password_hash: weak }).where('id', '=', id).execute(),
    );
    const responses = await Promise.all([signIn(email, password), signIn(email, password)]);
    expect(responses.map(({ status }) => status)).toStrictEqual([200, 200]);
  });

  it('fails if the password was changed after it was verified and before the session started', async () => {
    const { email, password } = await signUp(server);
    const { database, services } = server;
    const write = database.write.bind(database);
    // The first write after the password check is that of the sign-in.
    vi.spyOn(database, 'write').mockImplementationOnce(async (work) => {
      await services.passwords.set(email, 'another quiet lantern 12', byCommand);
      return write(work);
    });
    const { status, body } = await signIn(email, password);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await signIn(email, 'another quiet lantern 12')).status).toBe(200);
  });

  it('answers SERVICE_UNAVAILABLE with Retry-After to some rather than being slow for all, when very many arrive at once', async () => {
    const responses = await Promise.all(Array.from({ length: 150 }, () => signIn(user.email, user.password)));
    const busy = responses.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(0);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(150 - busy.length);
    expect(busy[0]?.body).toStrictEqual(envelope('SERVICE_UNAVAILABLE'));
    expect(busy[0]?.headers.get('retry-after')).toBe('2');
  });

  it('stores nothing in the database that could be used to sign in or refresh', async () => {
    const { password, refreshToken } = await signUp(server);
    const headers = { 'idempotency-key': 'a key of a retry' };
    await server.call('refresh', { body: { refresh_token: refreshToken }, headers });
    const { read } = server.database;
    const text = JSON.stringify([
      await read.selectFrom('users').selectAll().execute(),
      await read.selectFrom('refresh_tokens').selectAll().execute(),
      await read.selectFrom('sessions').selectAll().execute(),
    ]);
    for (const secret of [password, refreshToken, 'v1.', 'a key of a retry']) expect(text).not.toContain(secret);
  });

  it('starts a separate session each time', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => signIn(user.email, user.password)));
    expect(first?.body.refresh_token).not.toBe(second?.body.refresh_token);
    expect(second?.body.refresh_token).not.toBe(user.refreshToken);
  });

  it('ignores unknown fields', async () => {
    const body = { email: user.email, password: user.password, remember_me: true, otp: 123_456 };
    expect((await server.call('login', { body })).status).toBe(200);
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
  ])('is rejected as INVALID_CREDENTIALS if it %s', async (_, password) => {
    const { status, body } = await signIn(user.email, password);
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
  });

  it('gets a response with WWW-Authenticate', async () => {
    const { headers } = await signIn(user.email, 'not the password');
    expect(headers.get('www-authenticate')).toBe('Bearer realm="account"');
  });
});

describe('an email address without an account', () => {
  it.each([
    ['is well formed', newEmail()],
    ['is not an address', 'nobody'],
    ['is empty', ''],
    ['has ten thousand characters', `${'a'.repeat(10_000)}@example.com`],
    ['holds SQL', "' OR 1=1 --"],
    ['holds a pattern', 'user-%@example.com'],
    ['holds a NUL', 'nobody\u0000@example.com'],
  ])('gets USER_NOT_FOUND if it %s', async (_, email) => {
    const { status, body } = await signIn(email, goodPassword);
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });

  it('gets USER_NOT_FOUND once the account has been deleted', async () => {
    const gone = await signUp(server);
    await server.admin('user', 'delete', gone.email);
    expect((await signIn(gone.email, gone.password)).body).toStrictEqual(envelope('USER_NOT_FOUND'));
  });
});

describe('with LATCHKEY_UNIFORM_LOGIN_ERRORS', () => {
  const uniform = sharedApp({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });

  it('an unknown account and a wrong password get the same response', async () => {
    const { email } = await signUp(uniform);
    const wrong = await uniform.call('login', { body: { email, password: 'not the password' } });
    const unknown = await uniform.call('login', { body: { email: newEmail(), password: 'not the password' } });
    expect(unknown.status).toBe(401);
    expect(unknown.body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect(unknown.text).toBe(wrong.text);
  });

  it('an unknown account costs as much hashing time as a wrong password', async () => {
    const { email } = await signUp(uniform);
    const known = () => uniform.call('login', { body: { email, password: 'not the password' } });
    const unknown = () => uniform.call('login', { body: { email: newEmail(), password: 'not the password' } });
    // Other work in this process can only increase the cost of a request, so the lowest ones are compared.
    let [leastKnown, leastUnknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let turn = 0; turn < 10; turn++) {
      leastKnown = Math.min(leastKnown, await cpuMsOf(known));
      leastUnknown = Math.min(leastUnknown, await cpuMsOf(unknown));
    }
    // Without hashing it would be a few percent.
    expect(leastUnknown).toBeGreaterThan(leastKnown * 0.5);
  });

  it('the right password still signs in', async () => {
    const { email, password } = await signUp(uniform);
    expect((await uniform.call('login', { body: { email, password } })).status).toBe(200);
  });
});

/** Returns the CPU time of this process for a request, including its hashing threads, in ms. */
async function cpuMsOf(send: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await send();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
