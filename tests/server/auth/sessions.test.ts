/**
 * `GET /auth/sessions` and `DELETE /auth/sessions/{session_id}`: users see where they are signed in, and end sessions
 * that they do not recognize.
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../shared/api/auth.ts';
import { Admin } from '../../harness/admin.ts';
import { day, hour } from '../../harness/fake-clock.ts';
import { openHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { envelope, timestamp, uuid } from '../../harness/response-shapes.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

async function list(server: TestServer, token: string): Promise<Session[]> {
  const { status, body } = await server.call('sessions', { token });
  expect(status).toBe(200);
  return body.sessions as Session[];
}

async function logIn(server: TestServer, { email, password }: User, userAgent: string) {
  const { body } = await server.call('login', { body: { email, password }, headers: { 'user-agent': userAgent } });
  return { token: stringIn(body, 'access_token'), refreshToken: stringIn(body, 'refresh_token') };
}

describe('sessions', () => {
  const server = sharedApp();

  it('are listed with the client that signed in, and the current one is marked', async () => {
    const user = await signUp(server);
    const second = await logIn(server, user, 'Studio Mac/1.0');
    const sessions = await list(server, second.token);
    expect(sessions).toStrictEqual([
      {
        session_id: uuid,
        created_at: timestamp,
        last_used_at: timestamp,
        user_agent: 'Studio Mac/1.0',
        current: true,
      },
      {
        session_id: uuid,
        created_at: timestamp,
        last_used_at: timestamp,
        user_agent: expect.any(String),
        current: false,
      },
    ]);
    expect((await list(server, user.token)).map(({ current, user_agent }) => [current, user_agent])).toStrictEqual([
      [true, expect.any(String)],
      [false, 'Studio Mac/1.0'],
    ]);
  });

  it('are listed until their refresh token expires, however late it was renewed', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    app.clock.advance(3 * day);
    await app.call('refresh', { body: { refresh_token: user.refreshToken } });
    app.clock.advance(7 * day - 1);
    expect(await list(app, (await logIn(app, user, 'Studio Mac/1.0')).token)).toHaveLength(2);
    app.clock.advance(1);
    expect(await list(app, (await logIn(app, user, 'Studio Mac/1.0')).token)).toHaveLength(2);
  });

  it('of a client that sends no User-Agent are listed without a name', async () => {
    const app = await startTestApp();
    const { email, password } = await signUp(app);
    const url = await app.app.listen({ host: '127.0.0.1', port: 0 });
    const signInAt = async (path: string) => {
      const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
      const sent = request(`${url}/api/v1${path}`, { method: 'POST', headers }).end(
        JSON.stringify({ email, password }),
      );
      const [response] = await once(sent, 'response');
      return (await json(response)) as { access_token: string };
    };
    await signInAt('/account/session');
    const { access_token } = await signInAt('/auth/login');
    const names = (await list(app, access_token)).map(({ user_agent }) => user_agent);
    expect(names.filter((name) => name === '')).toHaveLength(2);
  });

  it('are listed with the time of their last use, which is their newest refresh', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    const createdAt = app.now();
    app.clock.advance(2 * hour);
    const { body } = await app.call('refresh', { body: { refresh_token: user.refreshToken } });
    const refreshedAt = app.now();
    const [session] = await list(app, stringIn(body, 'access_token'));
    expect(session).toMatchObject({
      created_at: new Date(createdAt).toISOString(),
      last_used_at: new Date(refreshedAt).toISOString(),
    });
  });

  it('are not listed once they were signed out or have expired', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    const left = await logIn(app, user, 'left');
    await app.call('logout', { body: { refresh_token: left.refreshToken } });
    app.clock.advance(6 * day);
    const newer = await logIn(app, user, 'newer');
    expect(await list(app, newer.token)).toHaveLength(2);
    app.clock.advance(day + hour);
    const newest = await logIn(app, user, 'newest');
    expect((await list(app, newest.token)).map(({ user_agent }) => user_agent)).toStrictEqual(['newest', 'newer']);
  });

  it('are listed for as long as they are refreshed, even beyond the lifetime of their first token', async () => {
    const app = await startTestApp();
    const user = await signUp(app);
    let { refreshToken, token } = user;
    for (let days = 0; days < 18; days += 6) {
      app.clock.advance(6 * day);
      const { body } = await app.call('refresh', { body: { refresh_token: refreshToken } });
      [refreshToken, token] = [stringIn(body, 'refresh_token'), stringIn(body, 'access_token')];
      expect(await list(app, token)).toMatchObject([{ current: true }]);
    }
  });

  it('have the time when their rows may be deleted extended at most once a day', async () => {
    const app = await startTestApp();
    let { refreshToken } = await signUp(app);
    const deletedFrom = () =>
      app.database.read.selectFrom('sessions').select('expires_at_ms').executeTakeFirstOrThrow();
    const refreshAfter = async (milliseconds: number) => {
      app.clock.advance(milliseconds);
      const { body } = await app.call('refresh', { body: { refresh_token: refreshToken } });
      refreshToken = stringIn(body, 'refresh_token');
      return deletedFrom();
    };
    const first = await deletedFrom();
    expect(first).toEqual({ expires_at_ms: app.now() + 8 * day });
    expect(await refreshAfter(day)).toStrictEqual(first);
    expect(await refreshAfter(1)).toEqual({ expires_at_ms: app.now() + 8 * day });
  });

  it('store only the beginning of a long User-Agent', async () => {
    const user = await signUp(server);
    const { token } = await logIn(server, user, 'x'.repeat(5000));
    expect((await list(server, token))[0]?.user_agent).toBe('x'.repeat(300));
  });

  it('can be ended by their id, at once, without affecting the others', async () => {
    const user = await signUp(server);
    const stolen = await logIn(server, user, 'unknown');
    const id = (await list(server, stolen.token))[0]?.session_id ?? '';
    const { status, body } = await server.call('endSession', { token: user.token, at: id });
    expect([status, body]).toStrictEqual([200, { success: true }]);
    expect((await server.call('subscriptionStatus', { token: stolen.token })).status).toBe(401);
    expect((await server.call('refresh', { body: { refresh_token: stolen.refreshToken } })).status).toBe(401);
    expect(await list(server, user.token)).toHaveLength(1);
    const again = await server.call('endSession', { token: user.token, at: id });
    expect([again.status, again.body]).toStrictEqual([404, envelope('NOT_FOUND')]);
  });

  it('can end themselves', async () => {
    const user = await signUp(server);
    const [own] = await list(server, user.token);
    expect((await server.call('endSession', { token: user.token, at: own?.session_id })).status).toBe(200);
    expect((await server.call('sessions', { token: user.token })).status).toBe(401);
  });

  it('get NOT_FOUND if they belong to another account or the id is malformed', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    const [theirs] = await list(server, other.token);
    for (const at of [theirs?.session_id ?? '', 'x', "' or 1=1", '\u0000']) {
      const { status, body } = await server.call('endSession', { token: user.token, at });
      expect([status, body], at).toStrictEqual([404, envelope('NOT_FOUND')]);
    }
    expect(await list(server, other.token)).toHaveLength(1);
  });

  it('are recorded in the audit log when they are ended', async () => {
    const user = await signUp(server);
    const [own] = await list(server, user.token);
    await server.call('endSession', { token: user.token, at: own?.session_id });
    const { rows: entries } = await server.services.auditList.readPage({}, { limit: 5 });
    expect(entries[0]).toMatchObject({
      action: 'session.end',
      actor: user.email,
      target: `account ${user.email}`,
      details: { all: false },
    });
  });
});

describeEachDatabase((database) => {
  it('an account keeps 10,000 sessions, those that have not expired first, so that a new password can end all of them in one write', async () => {
    const app = await startTestApp((await database.createAdmin()).settings);
    const user = await signUp(app);
    const openSessions = async () => {
      const sessions = app.database.read.selectFrom('sessions').select('expires_at_ms').where('user_id', '=', user.id);
      const open = await sessions.where('revoked_at_ms', 'is', null).execute();
      return { live: open.filter((row) => row.expires_at_ms > app.now()).length, all: open.length };
    };
    // Those from 9951 on have expired, although they are newer than the others.
    const times = sql`1, case when n > 9950 then 1 else cast(${app.now() + day} as bigint) end`;
    await app.database.write((transaction) =>
      sql`insert into sessions (id, user_id, created_at_ms, expires_at_ms)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10000)
        select '00000-' || (100000 + n), cast(${user.id} as text), ${times} from numbers`.execute(transaction),
    );
    const { token, refreshToken } = await logIn(app, user, 'newest');
    expect(await openSessions()).toStrictEqual({ live: 9952, all: 10_000 });
    for (const refresh_token of [user.refreshToken, refreshToken])
      expect((await app.call('refresh', { body: { refresh_token } })).status).toBe(200);
    const body = { current_password: user.password, new_password: 'another quiet lantern 12' };
    expect((await app.call('changePassword', { token, body })).status).toBe(200);
    expect(await openSessions()).toStrictEqual({ live: 0, all: 0 });
  });
});

describe.skipIf(findPostgres() === undefined)('on PostgreSQL', () => {
  const postgres = sharedPostgres();

  it('sessions are listed and ended, and one of them survives a password change', async () => {
    const admin = new Admin(temporaryFolder(), { DATABASE_URL: await postgres.createDatabase() });
    const server = await openHttpServer(admin);
    try {
      const user = await signUp(server);
      const second = await logIn(server, user, 'second');
      const third = await logIn(server, user, 'third');
      const sessions = await list(server, third.token);
      expect(sessions.map(({ user_agent }) => user_agent)).toStrictEqual(['third', 'second', expect.any(String)]);
      expect((await server.call('endSession', { token: third.token, at: sessions[1]?.session_id })).status).toBe(200);
      expect((await server.call('sessions', { token: second.token })).status).toBe(401);
      const body = { current_password: user.password, new_password: 'another quiet lantern 12' };
      const request = { token: third.token, body: { ...body, refresh_token: third.refreshToken } };
      expect((await server.call('changePassword', request)).status).toBe(200);
      expect((await server.call('refresh', { body: { refresh_token: user.refreshToken } })).status).toBe(401);
      expect((await server.call('refresh', { body: { refresh_token: third.refreshToken } })).status).toBe(200);
    } finally {
      await server.stop();
    }
  });
});
