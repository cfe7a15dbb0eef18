/**
 * What users do with their account: change the password, end sessions, change the email address, delete the account.
 */
import { describe, expect, it } from 'vitest';
import { type Reply, settle } from '../fake-platform.ts';
import { errorReply, missing } from './scripted-server.ts';
import { startSignedIn, startTestClient } from './start-client.ts';

const session = {
  session_id: '01890000-0000-7000-8000-0000000000f1',
  created_at: '2026-02-01T00:00:00.000Z',
  last_used_at: '2026-03-01T00:00:00.000Z',
  user_agent: 'Latchkey/0.1.0 (linux x64; Studio)',
  current: true,
};
const hourMs = 3_600_000;
const success = { json: { success: true } };
const passwords = { currentPassword: 'right', newPassword: 'another quiet lantern', language: 'de' } as const;

describe('a password change', () => {
  it('keeps this session: it sends the refresh token, and the next call gets a new access token', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /auth/password', success);
    platform.http.on('GET /auth/sessions', { json: { sessions: [session] } });
    expect(await client.changePassword(passwords)).toEqual({ ok: true, value: null });
    const [request] = platform.http.to('/auth/password');
    expect(JSON.parse(request?.body ?? '')).toEqual({
      current_password: 'right',
      new_password: 'another quiet lantern',
      refresh_token: 'v1.refresh-1',
    });
    expect(request?.headers).toMatchObject({ 'accept-language': 'de' });
    expect(client.getState()).toMatchObject({
      session: { kind: 'signed-in' },
      server: { accountManagement: 'available' },
      sessions: { value: [{ sessionId: session.session_id, isThisSession: true }] },
    });
    expect(client.getState().activity[0]).toMatchObject({ kind: 'password-changed' });
  });

  it('with a wrong password fails, and signs nobody out', async () => {
    const { client, platform } = await startSignedIn();
    const json = { error: 'The password is incorrect.', code: 'INVALID_CREDENTIALS' };
    platform.http.on('POST /auth/password', { status: 401, json });
    expect(await client.changePassword(passwords)).toMatchObject({ failure: { code: 'INVALID_CREDENTIALS' } });
    expect(client.getState().session.kind).toBe('signed-in');
    expect(client.getState().activity.map(({ kind }) => kind)).not.toContain('password-changed');
    expect(platform.http.to('/auth/sessions')).toHaveLength(0);
  });

  it('succeeds even if the sessions cannot be listed afterwards', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /auth/password', success);
    platform.http.on('GET /auth/sessions', errorReply(403, 'FORBIDDEN'));
    expect(await client.changePassword(passwords)).toEqual({ ok: true, value: null });
    expect(client.getState()).toMatchObject({
      server: { accountManagement: 'available' },
      sessions: { value: null, loading: false, failure: { code: 'FORBIDDEN' } },
    });
  });

  it('is no longer offered once the server has shown that it does not support it', async () => {
    const { client, platform } = await startSignedIn();
    expect(client.getState().server.accountManagement).toBe('unknown');
    platform.http.on('GET /auth/sessions', missing);
    expect(await client.listSessions()).toMatchObject({ failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(client.getState()).toMatchObject({
      server: { accountManagement: 'missing' },
      sessions: { value: null, failure: null },
    });
  });

  it('is offered again after a change to another server', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/sessions', missing);
    await client.listSessions();
    expect(await client.setServerAddress({ address: 'http://127.0.0.1:8471' })).toMatchObject({ ok: true });
    expect(client.getState().server.accountManagement).toBe('unknown');
  });
});

describe('the email address', () => {
  const status = (email: string, confirmation_needed = false) => ({ json: { email, confirmation_needed } });

  it('is known to be unconfirmed, and follows a change on the server, also after a restart', async () => {
    const testClient = await startSignedIn();
    const { client, platform } = testClient;
    expect(client.getState().isEmailUnconfirmed).toBe(false);
    platform.http.on('GET /auth/email', status('ada@lab.org', true));
    expect(await client.loadEmail()).toMatchObject({ ok: true });
    expect(client.getState()).toMatchObject({ isEmailUnconfirmed: true, server: { emailChange: 'available' } });
    platform.http.on('GET /auth/email', status('countess@lab.org'));
    await client.loadEmail();
    await client.loadEmail();
    expect(client.getState()).toMatchObject({
      isEmailUnconfirmed: false,
      session: { user: { email: 'countess@lab.org' } },
    });
    expect(client.getState().activity.filter(({ kind }) => kind === 'email-changed')).toHaveLength(1);
    const again = await testClient.restart();
    expect(again.client.getState()).toMatchObject({
      isEmailUnconfirmed: false,
      session: { user: { email: 'countess@lab.org' } },
    });
    expect(await again.sync()).toMatchObject({ ok: true });
  });

  it('is changed with the password, in the language of the window', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /auth/email', success);
    const input = { email: ' countess@lab.org ', password: 'right', language: 'ja' } as const;
    expect(await client.changeEmail(input)).toEqual({ ok: true, value: null });
    const [request] = platform.http.to('/auth/email');
    expect(JSON.parse(request?.body ?? '')).toEqual({ email: 'countess@lab.org', password: 'right' });
    expect(request?.headers).toMatchObject({ 'accept-language': 'ja' });
    expect(client.getState()).toMatchObject({
      session: { user: { email: 'ada@lab.org' } },
      server: { emailChange: 'available' },
    });
  });

  it('has a pending change until its link is opened or the user signs out', async () => {
    const { client, platform } = await startSignedIn();
    const pendingEmail = () => client.getState().pendingEmail;
    platform.http.on('POST /auth/email', success);
    platform.http.on('GET /auth/email', status('ada@lab.org'));
    const input = { email: 'countess@lab.org', password: 'right', language: 'en' } as const;
    await client.changeEmail(input);
    await client.loadEmail();
    expect(pendingEmail()).toBe('countess@lab.org');
    platform.http.on('GET /auth/email', status('countess@lab.org'));
    await client.loadEmail();
    expect(pendingEmail()).toBeNull();
    await client.changeEmail({ ...input, email: 'ada@lab.org' });
    expect(pendingEmail()).toBe('ada@lab.org');
    await client.signOut({ allDevices: false });
    expect(pendingEmail()).toBeNull();
  });

  const startPending = async () => {
    const testClient = await startSignedIn();
    testClient.platform.http.on('POST /auth/email', success);
    testClient.platform.http.on('GET /auth/email', status('ada@lab.org'));
    await testClient.client.changeEmail({ email: 'countess@lab.org', password: 'right', language: 'en' });
    return testClient;
  };

  it('still has a pending change after a restart, and none once its link was opened', async () => {
    const again = await (await startPending()).restart();
    expect(again.client.getState().pendingEmail).toBe('countess@lab.org');
    await again.sync();
    await again.client.loadEmail();
    expect(again.client.getState().pendingEmail).toBe('countess@lab.org');
    again.platform.http.on('GET /auth/email', status('countess@lab.org'));
    await again.client.loadEmail();
    expect(again.client.getState().pendingEmail).toBeNull();
    expect((await again.restart()).client.getState().pendingEmail).toBeNull();
  });

  it('has no pending change once the password was changed, which voids the link, also after a restart', async () => {
    const testClient = await startPending();
    const { http } = testClient.platform;
    http.on('POST /auth/password', { status: 401, json: { error: 'No.', code: 'INVALID_CREDENTIALS' } });
    await testClient.client.changePassword(passwords);
    expect(testClient.client.getState().pendingEmail).toBe('countess@lab.org');
    http.on('POST /auth/password', success);
    await testClient.client.changePassword(passwords);
    expect(testClient.client.getState().pendingEmail).toBeNull();
    expect((await testClient.restart()).client.getState().pendingEmail).toBeNull();
  });

  it('has no pending change once the link has expired, also across a restart', async () => {
    const testClient = await startPending();
    const { clock } = testClient.platform;
    await clock.advance(23 * hourMs);
    const again = await testClient.restart();
    expect(again.client.getState().pendingEmail).toBe('countess@lab.org');
    await clock.advance(hourMs);
    expect(again.client.getState().pendingEmail).toBeNull();
  });

  it('has no pending change after a sign-out and a new sign-in, and stores none', async () => {
    const testClient = await startPending();
    await testClient.client.signOut({ allDevices: false });
    expect([...testClient.platform.secrets.values.values()].join()).not.toContain('countess@lab.org');
    await testClient.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    expect(testClient.client.getState().pendingEmail).toBeNull();
    expect((await testClient.restart()).client.getState().pendingEmail).toBeNull();
  });

  it.each([
    [401, 'INVALID_CREDENTIALS'],
    [409, 'EMAIL_EXISTS'],
  ])('is unchanged if the server refuses with %i, and nobody is signed out', async (code, name) => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /auth/email', { status: code, json: { error: 'No.', code: name } });
    const done = await client.changeEmail({ email: 'b@lab.org', password: 'x', language: 'en' });
    expect(done).toMatchObject({ failure: { code: name } });
    expect(client.getState()).toMatchObject({ session: { kind: 'signed-in' }, pendingEmail: null });
  });

  it('that is not confirmed is forgotten at sign-out', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/email', status('ada@lab.org', true));
    await client.loadEmail();
    await client.signOut({ allDevices: false });
    expect(client.getState().isEmailUnconfirmed).toBe(false);
  });

  it('has its confirmation mail sent again', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /auth/email/send-confirmation', success);
    expect(await client.sendEmailConfirmation({ language: 'de' })).toMatchObject({ ok: true });
    expect(platform.http.to('/auth/email/send-confirmation')[0]?.headers).toMatchObject({ 'accept-language': 'de' });
    expect(client.getState().server.emailChange).toBe('available');
  });

  it('cannot be changed on a server without mail', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/email', missing);
    expect(await client.loadEmail()).toMatchObject({ failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(client.getState().server).toMatchObject({ emailChange: 'missing', accountManagement: 'unknown' });
  });
});

describe('a session', () => {
  const path = `/auth/sessions/${session.session_id}`;
  const other = { ...session, session_id: '01890000-0000-7000-8000-0000000000f2', current: false };

  it('is ended by its id, and the list is loaded again', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/sessions', { json: { sessions: [session, other] } });
    await client.listSessions();
    platform.http.on(`DELETE ${path}`, success);
    platform.http.on('GET /auth/sessions', { json: { sessions: [other] } });
    expect(await client.endSession({ sessionId: session.session_id })).toEqual({ ok: true, value: null });
    expect(platform.http.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    expect(client.getState().sessions.value).toMatchObject([{ sessionId: other.session_id }]);
  });

  it('is ended even if the list cannot be loaded afterwards', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on(`DELETE ${path}`, success);
    platform.http.on('GET /auth/sessions', errorReply(403, 'FORBIDDEN'));
    expect(await client.endSession({ sessionId: session.session_id })).toEqual({ ok: true, value: null });
    expect(client.getState().server.accountManagement).toBe('available');
  });

  it.each([
    [403, 'FORBIDDEN', 'FORBIDDEN'],
    [503, 'SERVICE_UNAVAILABLE', 'SERVICE_UNAVAILABLE'],
  ])('stays in the list if ending it fails with %i', async (code, name, shown) => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/sessions', { json: { sessions: [session] } });
    await client.listSessions();
    const listed = platform.http.to('/auth/sessions').length;
    platform.http.on(`DELETE ${path}`, errorReply(code, name));
    const ended = client.endSession({ sessionId: session.session_id });
    await platform.clock.advance(hourMs);
    expect(await ended).toMatchObject({ failure: { code: shown } });
    expect(platform.http.to('/auth/sessions')).toHaveLength(listed);
    expect(client.getState().sessions.value).toHaveLength(1);
  });

  it('shows that it is loading, keeps its place if the next load fails, and is forgotten at sign-out', async () => {
    const { client, platform } = await startSignedIn();
    const shown: unknown[] = [];
    client.subscribe(({ sessions }) => shown.push(sessions.loading));
    const respond = platform.http.hold('GET /auth/sessions');
    const loaded = client.listSessions();
    await platform.clock.advance(0);
    expect(shown).toEqual([true]);
    respond({ json: { sessions: [session] } });
    await loaded;
    await platform.clock.advance(0);
    expect(shown).toEqual([true, false]);
    platform.http.on('GET /auth/sessions', errorReply(403, 'FORBIDDEN'));
    await client.listSessions();
    expect(client.getState().sessions).toMatchObject({
      value: [{ sessionId: session.session_id }],
      loading: false,
      failure: { code: 'FORBIDDEN' },
    });
    await client.signOut({ allDevices: false });
    expect(client.getState().sessions).toEqual({ value: null, loading: false, failure: null });
  });

  it('that the server has ended leaves no failure beside the sign-in', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/sessions', errorReply(401, 'INVALID_TOKEN'));
    platform.http.on('POST /auth/refresh', errorReply(401, 'INVALID_TOKEN'));
    expect(await client.listSessions()).toMatchObject({ ok: false });
    expect(client.getState()).toMatchObject({ session: { kind: 'signed-out' }, sessions: { failure: null } });
  });

  it('that no longer exists counts as ended', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/sessions', { json: { sessions: [session] } });
    const json = { error: 'You have no session with this id.', code: 'NOT_FOUND' };
    platform.http.on(`DELETE /auth/sessions/${session.session_id}`, { status: 404, json });
    expect(await client.endSession({ sessionId: session.session_id })).toEqual({ ok: true, value: null });
    expect(client.getState().server.accountManagement).toBe('available');
  });
});

describe('a forgotten password', () => {
  it('can be reset without a session, in the language of the window', async () => {
    const { client, platform } = await startTestClient();
    platform.http.on('POST /auth/password/forgot', success);
    expect(await client.requestPasswordReset({ email: ' ada@lab.org ', language: 'ja' })).toMatchObject({ ok: true });
    const [request] = platform.http.to('/auth/password/forgot');
    expect(request?.body).toBe('{"email":"ada@lab.org"}');
    expect(request?.headers).toMatchObject({ 'accept-language': 'ja' });
    expect(request?.headers['user-agent']).toMatch(/^Latchkey\/\S+ \([ -~]+\)$/);
    expect(client.getState().server.passwordReset).toBe('available');
  });

  it('is announced to the window as possible once the server has mailed a link', async () => {
    const { client, platform } = await startTestClient();
    platform.http.on('POST /auth/password/forgot', success);
    const shown: unknown[] = [];
    client.subscribe(({ server }) => shown.push(server.passwordReset));
    await client.requestPasswordReset({ email: 'ada@lab.org', language: 'en' });
    await platform.clock.advance(0);
    expect(shown.at(-1)).toBe('available');
  });

  it('cannot be reset by a server without mail, which may still support account management', async () => {
    const { client, platform } = await startTestClient();
    const json = { error: 'This server sends no mail.', code: 'NOT_FOUND' };
    platform.http.on('POST /auth/password/forgot', { status: 404, json });
    const done = await client.requestPasswordReset({ email: 'ada@lab.org', language: 'en' });
    expect(done).toMatchObject({ failure: { code: 'NOT_SUPPORTED_BY_SERVER' } });
    expect(client.getState().server).toMatchObject({ passwordReset: 'missing', accountManagement: 'unknown' });
  });
});

describe('the deletion of the account', () => {
  it('signs out here without showing a reason', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('POST /auth/account/delete', success);
    expect(await client.deleteAccount({ password: 'right', language: 'de' })).toMatchObject({ ok: true });
    const [request] = platform.http.to('/auth/account/delete');
    expect(request).toMatchObject({ body: '{"password":"right"}', headers: { 'accept-language': 'de' } });
    expect(client.getState()).toMatchObject({
      session: { kind: 'signed-out', reason: null },
      server: { accountManagement: 'available' },
    });
    expect([...platform.secrets.values.values()].join()).not.toContain('v1.refresh');
  });

  it('leaves another account signed in if its sign-in was in progress', async () => {
    const { client, platform, server } = await startSignedIn();
    const answer = { deletion: () => {}, signIn: () => {} };
    const arrives = (name: keyof typeof answer) =>
      new Promise<void>((resolve) => {
        answer[name] = resolve;
      });
    const [deleted, signedIn] = [arrives('deletion'), arrives('signIn')];
    platform.http.on('POST /auth/account/delete', () => deleted.then(() => success));
    const user = { ...server.user, id: '01890000-0000-7000-8000-00000000000b', email: 'bob@lab.org' };
    const expires_at = new Date(platform.clock.now() + 3_600_000).toISOString();
    const json = { access_token: 'access-bob', refresh_token: 'refresh-bob', expires_at, user };
    platform.http.on('POST /auth/login', () => signedIn.then(() => ({ json })));
    const deleting = client.deleteAccount({ password: 'right', language: 'en' });
    const signingIn = client.signIn({ email: 'bob@lab.org', password: 'right' });
    await settle();
    answer.deletion();
    await settle();
    answer.signIn();
    expect([await deleting, await signingIn]).toMatchObject([{ ok: true }, { ok: true }]);
    expect(client.getState().session).toMatchObject({ kind: 'signed-in', user: { email: 'bob@lab.org' } });
  });

  it('changes nothing if the server refuses it', async () => {
    const { client, platform } = await startSignedIn();
    const json = { error: 'The password is incorrect.', code: 'INVALID_CREDENTIALS' };
    platform.http.on('POST /auth/account/delete', { status: 401, json });
    expect(await client.deleteAccount({ password: 'wrong', language: 'en' })).toMatchObject({ ok: false });
    expect(client.getState().session.kind).toBe('signed-in');
  });
});

it('a list of sessions that arrives late does not replace a newer one', async () => {
  const { client, platform } = await startSignedIn();
  const answers = [Promise.withResolvers<Reply>(), Promise.withResolvers<Reply>()];
  let asked = 0;
  platform.http.on('GET /auth/sessions', () => answers[asked++]?.promise ?? missing);
  const both = [client.listSessions(), client.listSessions()];
  await settle();
  answers[1]?.resolve({ json: { sessions: [] } });
  await settle();
  answers[0]?.resolve({ json: { sessions: [session] } });
  await Promise.all(both);
  expect(client.getState().sessions).toEqual({ value: [], loading: false, failure: null });
});

describe('the data export', () => {
  const exported = {
    exported_at: '2026-03-03T09:00:00.000Z',
    account: {
      id: '01890000-0000-7000-8000-00000000000a',
      email: 'ada@lab.org',
      full_name: 'Ada',
      created_at: '2026-02-01T00:00:00.000Z',
      password_changed_at: '2026-02-01T00:00:00.000Z',
      email_confirmed_at: null,
    },
    subscription: null,
    other_subscriptions: [],
    licenses: [],
    api_key: null,
    sessions: [],
    activity: [],
  };

  it('is what the server returns, as indented JSON', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/account/export', { json: exported });
    expect(await client.accountJson()).toEqual({ ok: true, value: `${JSON.stringify(exported, null, 2)}\n` });
    expect(client.getState().server.accountManagement).toBe('available');
  });

  it('fails with what the server says', async () => {
    const { client, platform } = await startSignedIn();
    platform.http.on('GET /auth/account/export', errorReply(403, 'FORBIDDEN'));
    expect(await client.accountJson()).toMatchObject({ ok: false, failure: { code: 'FORBIDDEN' } });
  });
});
