/** What users can do with their account as a whole: export its data, and delete it. */
import { describe, expect, it } from 'vitest';
import { accountExport } from '../../../shared/api/account-export.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { auditActions, newStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, goodPassword, issueLicense, newEmail, signUp, subscriber, type User } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

const server = sharedApp();

function remove({ token, password }: User, given = password) {
  return server.call('deleteOwnAccount', { token, body: { password: given } });
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
