/** The session: only one refresh at a time, and every token is stored before it is used. */
import { describe, expect, it } from 'vitest';
import type { ApiResult } from '../../../electron/licensing/api-response.ts';
import { Session } from '../../../electron/licensing/session.ts';
import { createFakePlatform, type Reply, settle } from '../fake-platform.ts';
import { errorReply } from './scripted-server.ts';
import { startActivated, startSignedIn } from './start-client.ts';

type StoredSession = { readonly refreshToken: string; readonly pendingRefreshKey: string | null };

function storedSession(values: Map<string, string>): StoredSession {
  return JSON.parse(values.get('session') ?? '{}') as StoredSession;
}

describe('a refresh', () => {
  it('happens before the token expires, at 80 % of its lifetime', async () => {
    const { platform } = await startSignedIn();
    await platform.clock.advance(0.75 * 3_600_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(0);
    await platform.clock.advance(0.1 * 3_600_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(1);
  });

  it('is shared by all calls that need it', async () => {
    const { client, platform, server } = await startActivated();
    server.accessTokens.clear();
    await platform.clock.advance(3_600_000 * 0.85 - 20_000);
    const before = platform.http.to('/auth/refresh').length;
    server.accessTokens.clear();
    await Promise.all([
      client.syncNow(),
      client.listDevices(),
      client.listDevices(),
      client.generateApiKey({ replace: false }),
    ]);
    expect(platform.http.to('/auth/refresh')).toHaveLength(before + 1);
  });

  it('stores its Idempotency-Key before it is sent', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    let storedWhenSent: StoredSession | null = null;
    platform.http.on('POST /auth/refresh', ({ headers }) => {
      storedWhenSent = storedSession(platform.secrets.values);
      expect(headers['idempotency-key']).toBe(storedWhenSent.pendingRefreshKey);
      return { fails: 'timeout' };
    });
    await sync();
    expect(storedWhenSent).toMatchObject({ refreshToken: 'v1.refresh-1', pendingRefreshKey: expect.any(String) });
  });

  it('whose response was lost is repeated with the same token and key, also after a crash', async () => {
    const testClient = await startActivated();
    testClient.server.accessTokens.clear();
    testClient.platform.http.on('POST /auth/refresh', { fails: 'timeout' });
    await testClient.sync();
    await testClient.sync();
    const again = await testClient.restart();
    await again.sync();
    const sent = testClient.platform.http.to('/auth/refresh');
    expect(sent.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('is not repeated for a call that was refused with the token before it', async () => {
    const { client, platform, server } = await startSignedIn();
    const { accessTokens } = server;
    const refused = Promise.withResolvers<Reply>();
    const tokens: unknown[] = [];
    platform.http.on('GET /auth/sessions', ({ headers }) => {
      tokens.push(headers.authorization);
      return tokens.length === 1 ? refused.promise : { json: { sessions: [] } };
    });
    const listing = client.listSessions();
    await settle();
    accessTokens.clear();
    expect(await client.listDevices()).toMatchObject({ ok: true });
    const refreshes = platform.http.to('/auth/refresh').length;
    refused.resolve(errorReply(401, 'TOKEN_EXPIRED'));
    expect(await listing).toMatchObject({ ok: true });
    expect(new Set(tokens).size).toBe(2);
    expect(platform.http.to('/auth/refresh')).toHaveLength(refreshes);
  });

  it('has a new key once its response is stored', async () => {
    const { sync, platform, server } = await startActivated();
    for (const _ of [1, 2]) {
      server.accessTokens.clear();
      await sync();
    }
    const keys = platform.http.to('/auth/refresh').map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect(storedSession(platform.secrets.values)).toMatchObject({
      refreshToken: 'v1.refresh-3',
      pendingRefreshKey: null,
    });
  });

  it('stores its new token before it uses the access token that came with it', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    let stored: string | null = null;
    platform.http.on('POST /heartbeat', ({ headers }) => {
      if (headers.authorization !== 'Bearer access-2') return errorReply(401, 'TOKEN_EXPIRED');
      stored = storedSession(platform.secrets.values).refreshToken;
      return { json: { success: true, timestamp: '2026-03-03T09:00:00.000Z' } };
    });
    await sync();
    expect(stored).toBe('v1.refresh-2');
  });

  it('is not sent while its key cannot be stored, and the session continues', async () => {
    const { sync, platform, server, on } = await startActivated();
    server.accessTokens.clear();
    platform.secrets.setFailing(true);
    const done = await sync();
    expect(done).toMatchObject({ ok: false, failure: { code: 'STORE_UNAVAILABLE' } });
    expect(platform.http.to('/auth/refresh')).toHaveLength(0);
    expect(on()).toHaveLength(6);
    platform.secrets.setFailing(false);
    expect(await sync()).toMatchObject({ ok: true });
    expect(storedSession(platform.secrets.values).refreshToken).toBe('v1.refresh-2');
  });

  it('whose response cannot be stored is repeated with the old token and its key', async () => {
    const { sync, platform, server } = await startActivated();
    server.accessTokens.clear();
    platform.http.on('POST /auth/refresh', () => {
      platform.secrets.setFailing(true);
      server.accessTokens.add('access-x');
      return { json: { access_token: 'access-x', refresh_token: 'v1.child', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    expect(await sync()).toMatchObject({ ok: true });
    platform.secrets.setFailing(false);
    server.accessTokens.clear();
    await sync();
    const sent = platform.http.to('/auth/refresh');
    expect(sent).toHaveLength(2);
    expect(new Set(sent.map(({ body, headers }) => body + String(headers['idempotency-key']))).size).toBe(1);
  });

  it('that completes after a sign-out signs nobody in', async () => {
    const { client, platform, server } = await startActivated();
    server.accessTokens.clear();
    let respond = () => {};
    platform.http.on('POST /auth/refresh', async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return { json: { access_token: 'late', refresh_token: 'v1.late', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    const syncing = client.syncNow();
    await settle();
    await client.signOut({ allDevices: false });
    respond();
    await syncing;
    expect(client.getState().session).toEqual({ kind: 'signed-out', reason: null });
    expect([...platform.secrets.values.values()].join()).not.toMatch(/v1\.(refresh|late)/);
  });

  it('is stored in its own order when the email address is changed at the same time', async () => {
    const { client, platform, server } = await startActivated();
    const held = { email: () => {}, refresh: () => {} };
    platform.http.on('POST /auth/email', async () => {
      await new Promise<void>((resolve) => {
        held.email = resolve;
      });
      return { json: { success: true } };
    });
    platform.http.on('POST /auth/refresh', async () => {
      await new Promise<void>((resolve) => {
        held.refresh = resolve;
      });
      return { json: { access_token: 'new', refresh_token: 'v1.new', expires_at: '2026-03-03T10:00:00.000Z' } };
    });
    const changing = client.changeEmail({ email: 'countess@lab.org', password: 'right', language: 'en' });
    await settle();
    server.accessTokens.clear();
    const listing = client.listDevices();
    await settle();
    held.email();
    await settle();
    expect(client.getState().pendingEmail).toBe('countess@lab.org');
    const { pendingRefreshKey } = storedSession(platform.secrets.values);
    expect(pendingRefreshKey).not.toBeNull();
    held.refresh();
    await Promise.all([changing, listing]);
    expect(storedSession(platform.secrets.values)).toMatchObject({
      refreshToken: 'v1.new',
      pendingRefreshKey: null,
      pendingEmail: { email: 'countess@lab.org' },
    });
  });

  it('measures the lifetime of a token by the server’s clock', async () => {
    const { sync, platform, server } = await startActivated();
    platform.clock.setWall(platform.clock.now() - 365 * 86_400_000);
    server.accessTokens.clear();
    platform.http.on('POST /auth/refresh', () => {
      server.accessTokens.add('access-y');
      return {
        headers: { date: 'Tue, 03 Mar 2026 09:00:00 GMT' },
        json: { access_token: 'access-y', refresh_token: 'v1.y', expires_at: '2026-03-03T09:10:00.000Z' },
      };
    });
    await sync();
    await platform.clock.advance(7 * 60_000);
    expect(platform.http.to('/auth/refresh')).toHaveLength(1);
    await platform.clock.advance(5 * 60_000);
    expect(platform.http.to('/auth/refresh').length).toBeGreaterThan(1);
  });
});

describe('a session that cannot be stored at all', () => {
  it('works in memory until the app ends', async () => {
    const { sync, client, platform, server } = await startSignedIn();
    await client.signOut({ allDevices: false });
    platform.secrets.setFailing(true);
    expect(await client.signIn({ email: 'ada@lab.org', password: 'right' })).toMatchObject({ ok: true });
    server.accessTokens.clear();
    expect(await sync()).toMatchObject({ ok: true });
    expect(client.getState().session.kind).toBe('signed-in');
  });
});

const here = 'https://license.org';
const elsewhere = 'https://new.license.org';
const ada = { id: 'ada', email: 'ada@lab.org', full_name: 'Ada' };
const no = { message: 'No.', at: '2026-03-03T09:00:00.000Z' };
const success = (response: unknown): ApiResult<unknown> => ({ kind: 'success', response, serverTimeMs: null });
const failed = (code: string, kind: 'error' | 'inconclusive' = 'error') =>
  ({ kind, failure: { code, ...no } }) as ApiResult<unknown>;

type Call = { readonly name: string; readonly options: Record<string, unknown> };

/**
 * A session alone on this profile; `answers` are the responses to its calls, and each refresh issues the next tokens.
 */
function startAlone(platform = createFakePlatform()) {
  const { secrets, clock, random, log, logged } = platform;
  let issued = 0;
  const tokens = () => {
    issued++;
    const expires_at = new Date(clock.now() + 3_600_000).toISOString();
    return { access_token: `access-${issued}`, refresh_token: `refresh-${issued}`, expires_at };
  };
  const calls: Call[] = [];
  const answers: (ApiResult<unknown> | (() => ApiResult<unknown> | Promise<ApiResult<unknown>>))[] = [];
  const api = {
    call: async (name: string, options: Record<string, unknown>) => {
      calls.push({ name, options });
      const answer = answers.shift() ?? success(name === 'refresh' ? tokens() : 'done');
      return typeof answer === 'function' ? answer() : answer;
    },
  };
  const session = new Session({ api: api as never, secrets, clock, random, log });
  const heard: string[] = [];
  session.onEnded((reason) => heard.push(`ended: ${reason}`));
  session.onMoved((address) => heard.push(`moved: ${address}`));
  const open = (more: { staysThere?: boolean } = {}) =>
    session.open({ ...tokens(), user: ada }, { serverAddress: here, staysThere: false, ...more }, null);
  const stored = () => JSON.parse(secrets.values.get('session') || 'null');
  const use = (options?: unknown) => session.call('subscriptionStatus', options as never);
  const names = () => calls.map(({ name }) => name);
  return { platform, clock, secrets, session, api, calls, answers, heard, open, stored, use, names, tokens, logged };
}

/** The same profile at the next start. */
async function startAgain({ platform }: ReturnType<typeof startAlone>, address = here, mayMove = true) {
  const again = startAlone(platform);
  return { ...again, restored: await again.session.restore(address, { mayMove }) };
}

describe('a session', () => {
  it('has no user before it is opened', async () => {
    const { session, use, calls, secrets } = startAlone();
    const failure = { code: 'NOT_SIGNED_IN', message: 'Nobody is signed in.', at: no.at };
    expect(session).toMatchObject({ user: null, serverAddress: null, movedFrom: null, pendingEmail: null });
    expect(session).toMatchObject({ secrets: [], refreshToken: null });
    expect(session.signedOutFailure()).toEqual(failure);
    expect(await use()).toEqual({ kind: 'inconclusive', failure });
    await session.save();
    await session.changeEmail('new@lab.org');
    await session.flush();
    expect(calls).toEqual([]);
    expect(secrets.writes).toEqual([]);
  });

  it('is stored as it was opened, and restored without an access token', async () => {
    const started = startAlone();
    await started.open();
    const { session, stored } = started;
    expect(session).toMatchObject({ user: ada, serverAddress: here, movedFrom: null, refreshToken: 'refresh-1' });
    expect(session.secrets).toEqual(['refresh-1', 'access-1']);
    expect(session.signedOutFailure()).toBeNull();
    const document = { version: 1, serverAddress: here, user: ada, refreshToken: 'refresh-1', pendingRefreshKey: null };
    expect(stored()).toEqual({ ...document, movedFrom: null, staysThere: false, pendingEmail: null, min_reader: 1 });
    const { session: again, restored } = await startAgain(started);
    expect(restored).toBe('restored');
    expect(again).toMatchObject({ user: ada, serverAddress: here, refreshToken: 'refresh-1' });
    expect(again.secrets).toEqual(['refresh-1']);
  });

  it.each([
    ['nothing', null, 'absent'],
    ['nothing any more', '', 'absent'],
    ['something damaged', 'damaged', 'unreadable'],
  ])('that finds %s stored has no user', async (_, text, restored) => {
    const { session, secrets } = startAlone();
    if (text !== null) secrets.values.set('session', text);
    expect(await session.restore(here, { mayMove: true })).toBe(restored);
    expect(session.user).toBeNull();
  });

  it('stays stored while no server has been chosen', async () => {
    const started = startAlone();
    await started.open();
    const again = startAlone(started.platform);
    expect(await again.session.restore(null, { mayMove: true })).toBe('absent');
    expect(again.session.user).toBeNull();
    expect((await startAgain(started)).restored).toBe('restored');
  });

  it('says whether the next start finds it, and why not', async () => {
    const started = startAlone();
    const { session, open, secrets } = started;
    const { write } = secrets;
    expect(session).toMatchObject({ isStored: false, storeProblem: {} });
    Object.assign(secrets, { write: () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) });
    expect(await open()).toBe(false);
    expect(session).toMatchObject({ isStored: false, storeProblem: { fileProblem: 'disk-full' } });
    Object.assign(secrets, { write });
    expect(await open()).toBe(true);
    expect(session.isStored).toBe(true);
    session.forget();
    expect(session.isStored).toBe(false);
    expect((await startAgain(started)).session.isStored).toBe(true);
  });

  it('is not taken for stored because an earlier one was', async () => {
    const { session, open, secrets } = startAlone();
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(secrets, { write: () => promise });
    const first = open();
    await settle();
    Object.assign(secrets, { write: () => Promise.reject(new Error('ENOSPC')) });
    const second = open();
    resolve();
    expect(await Promise.all([first, second])).toEqual([true, false]);
    expect(session).toMatchObject({ isStored: false, refreshToken: 'refresh-2' });
  });

  it('is removed from memory and disk when closed, and only from memory when forgotten', async () => {
    const { session, open, secrets, stored, use } = startAlone();
    await open();
    await session.awaitEmail({ email: 'new@lab.org', sentAtMs: 7 });
    session.forget();
    expect(session).toMatchObject({ user: null, pendingEmail: null, secrets: [] });
    expect(await use()).toMatchObject({ kind: 'inconclusive', failure: { code: 'NOT_SIGNED_IN' } });
    expect(stored()).not.toBeNull();
    await session.close();
    expect(secrets.values.has('session')).toBe(false);
  });

  it('that cannot be removed is overwritten, and closing fails only if that fails too', async () => {
    const { session, open, secrets } = startAlone();
    await open();
    const { remove } = secrets;
    Object.assign(secrets, { remove: async () => Promise.reject(new Error('EBUSY')) });
    await session.close();
    expect(secrets.values.get('session')).toBe('');
    await open();
    secrets.setFailing(true);
    await expect(session.close()).rejects.toThrow('ENOSPC');
    expect(session.user).toBeNull();
    Object.assign(secrets, { remove });
  });

  it.each([
    ['damaged', true],
    [
      JSON.stringify({
        version: 2,
        min_reader: 1,
        serverAddress: here,
        user: ada,
        refreshToken: 'r',
        pendingRefreshKey: null,
      }),
      true,
    ],
    [JSON.stringify({ version: 1, serverAddress: here, user: ada, refreshToken: 'r', pendingRefreshKey: null }), false],
  ])('sets aside once what would be lost: %s', async (text, isSetAside) => {
    const { session, secrets, open, stored } = startAlone();
    secrets.values.set('session', text);
    await session.restore(here, { mayMove: true });
    await open();
    await open();
    expect(stored().refreshToken).toBe('refresh-2');
    const aside = [...secrets.values].filter(([name]) => name.startsWith('session.'));
    expect(aside.map(([, value]) => value)).toEqual(isSetAside ? [text] : []);
    await session.close();
    expect(secrets.values.has('session')).toBe(false);
  });

  it('leaves an unreadable document in place if it never stored one itself', async () => {
    const { session, secrets } = startAlone();
    secrets.values.set('session', 'damaged');
    await session.restore(here, { mayMove: true });
    await session.close();
    expect(secrets.values.get('session')).toBe('damaged');
  });

  it('logs that it could not be stored', async () => {
    const { session, open, secrets, logged } = startAlone();
    secrets.setFailing(true);
    await open();
    expect(session.user).toEqual(ada);
    expect(logged).toEqual(['the session could not be stored {}']);
  });
});

describe('a change of the email address', () => {
  it('is pending across a restart, and ends with the change, or with a new session', async () => {
    const started = startAlone();
    await started.open();
    const pending = { email: 'new@lab.org', sentAtMs: 7 };
    await started.session.awaitEmail(pending);
    expect(started.stored().pendingEmail).toEqual(pending);
    const { session, stored, open } = await startAgain(started);
    expect(session.pendingEmail).toEqual(pending);
    await session.changeEmail('new@lab.org');
    expect(session).toMatchObject({ pendingEmail: null, user: { ...ada, email: 'new@lab.org' } });
    expect(stored()).toMatchObject({ pendingEmail: null, user: { email: 'new@lab.org' }, refreshToken: 'refresh-1' });
    await session.awaitEmail(pending);
    await open();
    expect(session.pendingEmail).toBeNull();
    expect(session.user).toEqual(ada);
  });

  it('keeps the access token', async () => {
    const { session, open, use, names } = startAlone();
    await open();
    await session.changeEmail('new@lab.org');
    expect(session.user).toEqual({ ...ada, email: 'new@lab.org' });
    await use();
    expect(names()).toEqual(['subscriptionStatus']);
  });
});

describe('a call', () => {
  it('carries the access token, and a body that is built from the current refresh token', async () => {
    const { session, open, use, calls } = startAlone();
    await open();
    expect(await use({ body: 1 })).toEqual(success('done'));
    await use((refreshToken: string) => ({ body: refreshToken }));
    expect(calls).toEqual([
      { name: 'subscriptionStatus', options: { body: 1, accessToken: 'access-1' } },
      { name: 'subscriptionStatus', options: { body: 'refresh-1', accessToken: 'access-1' } },
    ]);
    expect(session.refreshToken).toBe('refresh-1');
  });

  it.each(['TOKEN_EXPIRED', 'INVALID_TOKEN'])(
    'is repeated once with a new token if the server answers %s',
    async (code) => {
      const { open, use, calls, answers, names, heard, session, stored } = startAlone();
      await open();
      answers.push(failed(code));
      expect(await use((refreshToken: string) => ({ body: refreshToken }))).toEqual(success('done'));
      expect(names()).toEqual(['subscriptionStatus', 'refresh', 'subscriptionStatus']);
      expect(calls[2]?.options).toEqual({ body: 'refresh-2', accessToken: 'access-2' });
      expect(calls[1]?.options).toEqual({ body: { refresh_token: 'refresh-1' }, idempotencyKey: expect.any(String) });
      expect(stored()).toMatchObject({ refreshToken: 'refresh-2', pendingRefreshKey: null });
      answers.push(failed(code), success({ ...startAlone().tokens() }), failed(code));
      expect(await use()).toEqual(failed(code, 'inconclusive'));
      expect(session.user).toEqual(ada);
      expect(heard).toEqual([]);
    },
  );

  it.each([failed('LICENSE_INACTIVE'), failed('TOKEN_EXPIRED', 'inconclusive')])(
    'is not repeated for any other answer',
    async (answer) => {
      const { open, use, answers, names } = startAlone();
      await open();
      answers.push(answer);
      expect(await use()).toEqual(answer);
      expect(names()).toEqual(['subscriptionStatus']);
    },
  );

  it('returns no answer if the session has changed before it arrived', async () => {
    const { open, use, answers, session } = startAlone();
    await open();
    answers.push(() => {
      session.forget();
      return success('late');
    });
    const failure = { code: 'CANCELED', message: 'The session has changed.', at: no.at };
    expect(await use()).toEqual({ kind: 'inconclusive', failure });
  });
});

describe('a refresh in isolation', () => {
  it('is not repeated for a call whose token was rejected before it', async () => {
    const { open, use, answers, names } = startAlone();
    await open();
    let respond = () => {};
    const slow = new Promise<void>((resolve) => {
      respond = resolve;
    });
    answers.push(async () => {
      await slow;
      return failed('TOKEN_EXPIRED');
    }, failed('TOKEN_EXPIRED'));
    const first = use();
    await settle();
    await use();
    respond();
    expect(await first).toEqual(success('done'));
    expect(names().filter((name) => name === 'refresh')).toHaveLength(1);
  });

  it('has no effect if the session is forgotten while its token is stored', async () => {
    const started = startAlone();
    await started.open();
    const { use, session, secrets, heard } = await startAgain(started, elsewhere);
    const { write } = secrets;
    Object.assign(secrets, {
      write: async (name: string, text: string) => {
        if (JSON.parse(text).pendingRefreshKey === null) session.forget();
        await write(name, text);
      },
    });
    expect(await use()).toMatchObject({ kind: 'inconclusive', failure: { code: 'CANCELED' } });
    expect(session.user).toBeNull();
    expect(heard).toEqual([]);
  });

  it('has no effect on a session that was opened meanwhile and is being refreshed itself', async () => {
    const started = startAlone();
    await started.open();
    const { use, open, answers, session, clock, tokens, heard } = await startAgain(started);
    const [old, current] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    answers.push(async () => {
      await old.promise;
      return failed('INVALID_TOKEN');
    });
    const usingOld = use();
    await settle();
    await open();
    await clock.advance(3_600_000);
    answers.push(async () => {
      await current.promise;
      return success({ ...tokens(), refresh_token: 'next' });
    });
    const using = use();
    await settle();
    old.resolve();
    expect(await usingOld).toMatchObject({ kind: 'inconclusive', failure: { code: 'CANCELED' } });
    current.resolve();
    expect(await using).toEqual(success('done'));
    expect(session.refreshToken).toBe('next');
    expect(heard).toEqual([]);
  });

  it('stores its key once, however often it is repeated', async () => {
    const started = startAlone();
    await started.open();
    const { use, answers, secrets } = await startAgain(started);
    answers.push(failed('RATE_LIMITED'), failed('RATE_LIMITED'));
    const before = secrets.writes.length;
    await use();
    await use();
    expect(secrets.writes.length - before).toBe(1);
  });

  it.each([
    ['TOKEN_EXPIRED', 'session-expired'],
    ['INVALID_TOKEN', 'session-revoked'],
  ])('with the answer %s ends the session and reports why', async (code, reason) => {
    const started = startAlone();
    await started.open();
    const { use, answers, heard } = await startAgain(started);
    answers.push(failed(code));
    expect(await use()).toEqual(failed(code, 'inconclusive'));
    expect(heard).toEqual([`ended: ${reason}`]);
  });

  it.each([failed('RATE_LIMITED'), failed('INVALID_TOKEN', 'inconclusive')])(
    'with any other answer ends nothing, and is repeated with its key',
    async (answer) => {
      const started = startAlone();
      await started.open();
      const { use, answers, heard, calls, session } = await startAgain(started);
      answers.push(answer);
      expect(await use()).toMatchObject({ kind: 'inconclusive' });
      expect(heard).toEqual([]);
      const key = calls[0]?.options.idempotencyKey;
      expect(session.secrets).toEqual(['refresh-1', key]);
      expect(await use()).toEqual(success('done'));
      expect(calls[1]?.options).toEqual({ body: { refresh_token: 'refresh-1' }, idempotencyKey: key });
    },
  );

  it('is awaited at the end of the app, and by a change of the email address', async () => {
    const started = startAlone();
    await started.open();
    const { use, answers, session, stored, tokens, calls } = await startAgain(started);
    let respond = () => {};
    answers.push(async () => {
      await new Promise<void>((resolve) => {
        respond = resolve;
      });
      return success({ ...tokens(), refresh_token: 'next' });
    });
    const using = use();
    const another = use();
    await settle();
    expect(session.secrets).toHaveLength(2);
    await session.changeEmail('later@lab.org');
    expect(session.user).toEqual(ada);
    const waiting = session.awaitEmail({ email: 'new@lab.org', sentAtMs: 7 });
    let isFlushed = false;
    const flushed = session.flush().then(() => {
      isFlushed = true;
    });
    await settle();
    expect(isFlushed).toBe(false);
    expect(stored()).toMatchObject({ pendingRefreshKey: expect.any(String), pendingEmail: null });
    respond();
    await Promise.all([using, another, waiting, flushed]);
    expect(stored()).toMatchObject({ refreshToken: 'next', pendingEmail: { email: 'new@lab.org' } });
    expect(calls.filter(({ name }) => name === 'refresh')).toHaveLength(1);
  });

  it('that cannot store its key is not sent while the session is on disk, and fails with that reason', async () => {
    const started = startAlone();
    await started.open();
    const { use, secrets, names, session } = await startAgain(started);
    secrets.setFailing(true);
    const failure = { code: 'STORE_UNAVAILABLE', message: 'The session could not be stored.', at: no.at };
    expect(await use()).toEqual({ kind: 'inconclusive', failure });
    expect(names()).toEqual([]);
    expect(session.secrets).toEqual(['refresh-1']);
  });

  it('of a session that was never stored continues in memory', async () => {
    const { open, use, secrets, clock, session } = startAlone();
    secrets.setFailing(true);
    await open();
    await clock.advance(3_600_000);
    expect(await use()).toEqual(success('done'));
    expect(session.refreshToken).toBe('refresh-2');
  });

  it('that completes after the session was forgotten has no effect', async () => {
    for (const during of ['key', 'answer']) {
      const started = startAlone();
      await started.open();
      const { use, answers, session, heard, names } = await startAgain(started);
      const using = during === 'key' ? use() : undefined;
      if (using) session.forget();
      else
        answers.push(() => {
          session.forget();
          return failed('INVALID_TOKEN');
        });
      const failure = { code: 'CANCELED', message: 'The session has changed.', at: no.at };
      expect(await (using ?? use())).toEqual({ kind: 'inconclusive', failure });
      expect(heard).toEqual([]);
      expect(names()).toEqual(during === 'key' ? [] : ['refresh']);
      expect(session.user).toBeNull();
    }
  });
});

describe('a server that moves', () => {
  it('gets the session once it has answered a refresh at its new address, which is stored and reported', async () => {
    const started = startAlone();
    await started.open();
    const { session, restored, use, heard, stored } = await startAgain(started, elsewhere);
    expect(restored).toBe('restored');
    expect(session.serverAddress).toBe(here);
    await use();
    expect(session).toMatchObject({ serverAddress: elsewhere, movedFrom: here });
    expect(stored()).toMatchObject({ serverAddress: elsewhere, movedFrom: here });
    expect(heard).toEqual([`moved: ${elsewhere}`]);
  });

  it('is treated as another server if it does not know the session, which stays stored for the old address', async () => {
    const started = startAlone();
    await started.open();
    const { use, answers, heard, stored } = await startAgain(started, elsewhere);
    answers.push(failed('RATE_LIMITED'));
    await use();
    expect(heard).toEqual([]);
    answers.push(failed('INVALID_TOKEN'));
    await use();
    expect(heard).toEqual(['ended: server-changed']);
    expect(stored().serverAddress).toBe(here);
  });

  it.each([
    [false, false],
    [true, true],
  ])(
    'does not get a session that stays at its address (%s), or that may not move (%s)',
    async (staysThere, mayMove) => {
      const started = startAlone();
      await started.open({ staysThere });
      const { session, restored } = await startAgain(started, elsewhere, mayMove);
      expect(restored).toBe('other-server');
      expect(session.user).toBeNull();
      expect((await startAgain(started, here, mayMove)).restored).toBe('restored');
    },
  );

  it.each(['open', 'forget'])('is no longer expected after %s', async (act) => {
    const started = startAlone();
    await started.open();
    const { session, open, use, heard, clock } = await startAgain(started, elsewhere);
    if (act === 'forget') session.forget();
    await open();
    await clock.advance(3_600_000);
    await use();
    expect(session.serverAddress).toBe(here);
    expect(heard).toEqual([]);
  });

  it('is not reported while the new address cannot be stored', async () => {
    const started = startAlone();
    await started.open();
    const { use, answers, heard, secrets, tokens, session, clock } = await startAgain(started, elsewhere);
    answers.push(() => {
      secrets.setFailing(true);
      return success(tokens());
    });
    await use();
    expect(heard).toEqual([]);
    expect(session.serverAddress).toBe(here);
    secrets.setFailing(false);
    await clock.advance(3_600_000);
    await use();
    expect(heard).toEqual([`moved: ${elsewhere}`]);
  });
});
