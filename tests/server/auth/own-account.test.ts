/** What users can do with their account as a whole: export its data, and delete it. */
import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findHistory } from '../../../server/accounts/account-history.repository.ts';
import { newUuid } from '../../../server/random.ts';
import { accountExport } from '../../../shared/api/account-export.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { auditActions, newStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import {
  activate,
  goodPassword,
  issueLicense,
  newDeviceId,
  newEmail,
  numberedDeviceId,
  signUp,
  subscriber,
  type User,
} from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

const server = sharedApp();

/** Adds 2,500 rows of the account to the table: used refresh tokens, instances of ten devices, or ended sessions. */
async function addHistory(
  { database }: TestApp,
  table: 'refresh_tokens' | 'device_activity' | 'sessions',
  { id, refreshToken }: User,
) {
  const { read } = database;
  const hash = createHash('sha256').update(refreshToken).digest('hex');
  const token = await read
    .selectFrom('refresh_tokens')
    .selectAll()
    .where('token_hash', '=', hash)
    .executeTakeFirstOrThrow();
  const device = await read
    .selectFrom('device_activity')
    .selectAll()
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow();
  const session = await read.selectFrom('sessions').selectAll().where('user_id', '=', id).executeTakeFirstOrThrow();
  await database.write(async (transaction) => {
    for (let number = 0; number < 2500; number += 1) {
      const row = {
        refresh_tokens: { ...token, token_hash: `${number}`, used_at_ms: 1 },
        device_activity: { ...device, device_id: numberedDeviceId(number % 10), instance: `${number}` },
        sessions: { ...session, id: `${number}`, revoked_at_ms: 1 },
      }[table];
      await transaction.insertInto(table).values(row).execute();
    }
  });
}

function remove({ token, password }: User, given = password, app: TestApp = server) {
  return app.call('deleteOwnAccount', { token, body: { password: given } });
}

describeEachDatabase((database) => {
  it('an account can be exported and then deleted, with everything that belongs to it', async () => {
    const app = await startHttpServer(await database.createAdmin());
    const user = await subscriber(app);
    const { key } = await issueLicense(app, '--email', user.email);
    const { deviceId } = await activate(app, user, key);
    const { body: made } = await app.call('apiKey', { token: user.token, body: {} });
    const apiKey = stringIn(made, 'api_key');
    const { status, body, text } = await app.call('exportAccount', { token: user.token });
    expect(status).toBe(200);
    expect(body).toStrictEqual(accountExport.parse(body));
    expect(body).toMatchObject({
      account: { id: user.id, email: user.email, email_confirmed_at: null },
      subscription: { plan: 'standard' },
      licenses: [{ devices: [{ device_id: deviceId }] }],
      sessions: [{ current: true }],
    });
    for (const secret of [key, apiKey, user.refreshToken, user.token, '$argon2']) expect(text).not.toContain(secret);
    expect(text).toContain(apiKey.slice(0, 13));
    expect(body.activity).toContainEqual(expect.objectContaining({ action: 'account.create', actor: user.email }));

    const deleted = await app.call('deleteOwnAccount', { token: user.token, body: { password: user.password } });
    expect([deleted.status, deleted.body]).toStrictEqual([200, { success: true }]);
    expect((await app.call('login', { body: { email: user.email, password: user.password } })).status).toBe(404);
    expect((await app.call('exportAccount', { token: user.token })).status).toBe(401);
    expect((await app.call('refresh', { body: { refresh_token: user.refreshToken } })).status).toBe(401);
    const validated = await app.call('validateApiKey', { body: { api_key: apiKey } });
    expect(validated.body).toMatchObject({ valid: false, code: 'INVALID_API_KEY' });
    expect((await signUp(app, user.email)).id).not.toBe(user.id);
  });

  it.each(['refresh_tokens', 'device_activity', 'sessions'] as const)(
    'an account with any number of %s is deleted with few rows at once, so that other requests need not wait for long',
    async (table) => {
      const app = await startTestApp((await database.createAdmin()).settings);
      const user = await signUp(app);
      await app.call('heartbeat', { token: user.token, body: { device_id: newDeviceId() } });
      await addHistory(app, table, user);
      const count = async () => (await app.database.read.selectFrom(table).select(sql`1`.as('one')).execute()).length;
      const write = app.database.write.bind(app.database);
      const deleted: number[] = [];
      const writing = vi.spyOn(app.database, 'write').mockImplementation(async (work) => {
        const before = await count();
        const result = await write(work);
        deleted.push(before - (await count()));
        return result;
      });
      onTestFinished(() => writing.mockRestore());
      expect((await remove(user, user.password, app)).status).toBe(200);
      expect(deleted.filter((rows) => rows > 0).reduce((sum, rows) => sum + rows)).toBeGreaterThan(2500);
      expect(Math.max(...deleted)).toBeLessThan(1100);
    },
  );
});

describe('an export', () => {
  it('reveals neither the identity nor the address of staff in their actions', async () => {
    const user = await signUp(server);
    const { email, browser } = await newStaff(server, 'owner');
    await browser.expectOk('setAccountSubscription', { at: user.id, body: { plan: 'standard' } });
    const { text, body } = await server.call('exportAccount', { token: user.token });
    expect(text).not.toContain(email);
    const entries = (body.activity as { actor: string }[]).map(({ actor }) => actor);
    expect(entries).toContain(user.email);
  });
});

describe('an export', () => {
  it('is in the audit log, with the address that it was sent to', async () => {
    const { token, email } = await signUp(server);
    await server.call('exportAccount', { token });
    const entries = await auditActions(server, 'account.export');
    const entry = { actor: email, target: `account ${email}`, address: expect.any(String) };
    expect(entries).toContainEqual(expect.objectContaining(entry));
  });
});

describe('an export after an email change', () => {
  it('still attributes earlier actions of the user to the user', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const { token, email, password } = await signUp(app);
    const next = newEmail();
    await app.call('changeEmail', { token, body: { email: next, password } });
    await sendMails(app);
    const link = /\/confirm#token=([\w-]+)/.exec(smtp.mails.find(({ to }) => to === next)?.text ?? '')?.[1];
    expect((await app.call('confirmEmail', { body: { token: link } })).status).toBe(200);
    const { body } = await app.call('exportAccount', { token });
    const created = expect.objectContaining({ action: 'account.create', actor: email, address: expect.any(String) });
    expect(body.activity).toContainEqual(created);
  });
});

describe('deleting an account', () => {
  it('requires the password', async () => {
    const user = await signUp(server);
    expect((await remove(user, 'not the right lantern')).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await server.call('subscriptionStatus', { token: user.token })).status).toBe(200);
    expect((await server.call('deleteOwnAccount', { token: user.token, body: {} })).status).toBe(400);
    expect((await server.call('deleteOwnAccount', { body: { password: user.password } })).status).toBe(401);
  });

  it('reads the sessions of the account no further than to the next part of its history', async () => {
    const of = { userId: newUuid(0, randomBytes), nowMs: server.now() };
    const plan = await readQueryPlan(server, (transaction) => findHistory(transaction, of));
    const search = (table: string, index: string, column: string) =>
      `SEARCH ${table} USING INDEX ${index} (${column}=?)`;
    const sessions = search('sessions', 'sessions_of_user', 'user_id');
    const tokens = search('refresh_tokens', 'refresh_tokens_by_expiry', 'session_id');
    const activity = search('device_activity', 'device_activity_of_user', 'user_id');
    // A list is complete before it is used: that of ended sessions is limited.
    expect(plan.split('\n')).toStrictEqual([tokens, 'LIST SUBQUERY 1', sessions, sessions, sessions, tokens, activity]);
  });

  it('is refused for the last owner among the staff', async () => {
    const app = await startTestApp();
    const { email } = await newStaff(app, 'owner');
    const { body } = await app.call('login', { body: { email, password: goodPassword } });
    const request = { token: String(body.access_token), body: { password: goodPassword } };
    expect((await app.call('deleteOwnAccount', request)).body).toStrictEqual(envelope('CONFLICT'));
    await newStaff(app, 'owner');
    expect((await app.call('deleteOwnAccount', request)).status).toBe(200);
  });

  it('is recorded in the audit log and announced by mail', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const { token, email, password } = await signUp(app);
    await app.call('deleteOwnAccount', { token, body: { password }, headers: { 'accept-language': 'ja' } });
    await sendMails(app);
    expect(smtp.mails).toMatchObject([{ to: email, subject: 'アカウントが削除されました' }]);
    const { rows: entries } = await app.services.auditList.readPage({}, { limit: 5 });
    expect(entries).toContainEqual(expect.objectContaining({ action: 'account.delete', actor: email }));
  });
});
