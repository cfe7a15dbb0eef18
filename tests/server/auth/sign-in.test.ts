/** Sign-in: who is let in, who is told what, and what happens when many come at once. */
import { hash } from '@node-rs/argon2';
import { afterEach, describe, expect, it } from 'vitest';
import type { Environment } from '../../../server/config.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
const start = async (environment: Environment = {}) => {
  service = await startTestApp(environment);
};
afterEach(() => service.close());

const logIn = (email: string, password: string) => service.call('POST', '/auth/login', { body: { email, password } });

describe('sign-in', () => {
  it('takes the email in any case and with spaces around it', async () => {
    await start();
    const person = await service.signUp('Ada@Example.com');
    const answer = await logIn(' aDA@example.COM ', person.password);
    expect(answer).toMatchObject({ status: 200, body: { user: { id: person.id, email: 'Ada@Example.com' } } });
  });

  it('tells an unknown email from a wrong password', async () => {
    await start();
    const person = await service.signUp();
    expect(await logIn(person.email, 'another one')).toMatchObject({
      status: 401,
      body: { code: 'INVALID_CREDENTIALS' },
      headers: { 'www-authenticate': 'Bearer realm="account"' },
    });
    for (const email of ['nobody@example.com', 'no address', '']) {
      expect(await logIn(email, 'another one')).toMatchObject({ status: 404, body: { code: 'USER_NOT_FOUND' } });
    }
  });

  it('answers both alike where errors are to be uniform', async () => {
    await start({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });
    const person = await service.signUp();
    const [wrong, unknown] = await Promise.all([
      logIn(person.email, 'another one'),
      logIn('nobody@example.com', 'another one'),
    ]);
    expect(wrong.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
  });

  it('hashes a password again when it was hashed with weaker parameters', async () => {
    await start();
    const person = await service.signUp();
    const weak = await hash(person.password, { memoryCost: 8192, timeCost: 1 });
    await service.database.write((transaction) =>
      transaction.updateTable('users').set({ password_hash: weak }).where('id', '=', person.id).execute(),
    );
    expect((await logIn(person.email, person.password)).status).toBe(200);
    const row = await service.database.read.selectFrom('users').select('password_hash').executeTakeFirstOrThrow();
    expect(row.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await logIn(person.email, person.password)).status).toBe(200);
  });

  it('says that it is busy rather than let too many wait', async () => {
    await start();
    const person = await service.signUp();
    const answers = await Promise.all(Array.from({ length: 150 }, () => logIn(person.email, person.password)));
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 200).length).toBe(150 - busy.length);
    expect(busy[0]).toMatchObject({ body: { code: 'SERVICE_UNAVAILABLE' }, headers: { 'retry-after': '2' } });
  });

  it('keeps nothing in the database that signs in or refreshes', async () => {
    await start();
    const person = await service.signUp();
    const body = { refresh_token: person.refreshToken };
    await service.call('POST', '/auth/refresh', { body, headers: { 'idempotency-key': 'a key of a retry' } });
    const { read } = service.database;
    const rows = [
      ...(await read.selectFrom('users').selectAll().execute()),
      ...(await read.selectFrom('refresh_tokens').selectAll().execute()),
      ...(await read.selectFrom('refresh_families').selectAll().execute()),
    ];
    const text = JSON.stringify(rows);
    for (const secret of [person.password, person.refreshToken, 'v1.', 'a key of a retry']) {
      expect(text).not.toContain(secret);
    }
  });
});
