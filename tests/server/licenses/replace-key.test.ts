/** Replacing the key of a license: by its owner with the password, by a command, and by staff, and by nobody else. */
import { describe, expect, it } from 'vitest';
import { minute } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope, licenseKey } from '../../harness/response-shapes.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, issueLicense, newDeviceId, signUp, type User } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

const server = sharedApp();
type Server = Pick<typeof server, 'call'>;

function replace(user: User, more: { license_id?: string; password?: string } = {}, at: Server = server) {
  return at.call('replaceLicenseKey', { token: user.token, body: { password: user.password, ...more } });
}

function validate(user: User, license_key: string, device_id: string, at: Server = server) {
  return at.call('validateLicense', { token: user.token, body: { license_key, device_id } });
}

describe('the owner of a license', () => {
  it('gets a new key with the password; the old one stops working at once, and devices stay active', async () => {
    const user = await signUp(server);
    const { key, id } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    const { status, body } = await replace(user);
    expect(status).toBe(200);
    const next = stringIn(body, 'license_key');
    expect(body).toStrictEqual({
      license_key: licenseKey,
      license: {
        key_preview: `${next.slice(0, 8)}...${next.slice(-4)}`,
        plan: 'standard',
        status: 'active',
        activations: 1,
        max_activations: 3,
      },
    });
    expect(next).not.toBe(key);
    expect((await validate(user, key, deviceId)).body).toMatchObject({ valid: false, code: 'LICENSE_NOT_FOUND' });
    const again = await server.call('activateLicense', {
      token: user.token,
      body: { license_key: key, device_id: newDeviceId() },
    });
    expect(again.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
    const valid = { valid: true, activations: 1, already_activated_on_device: true };
    expect((await validate(user, next, deviceId)).body).toMatchObject(valid);
    expect(await server.admin('license', 'list', '--email', user.email)).toMatchObject([{ id, activations: 1 }]);
  });

  it('is refused with a wrong password, and nothing changes', async () => {
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { status, body } = await replace(user, { password: 'not this one' });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await validate(user, key, newDeviceId())).body).toMatchObject({ valid: true });
  });

  it('can choose one of several licenses by its id, but never one of another account', async () => {
    const [user, other] = [await signUp(server), await signUp(server)];
    const first = await issueLicense(server, '--email', user.email);
    const second = await issueLicense(server, '--email', user.email);
    const foreign = await issueLicense(server, '--email', other.email);
    const { body } = await replace(user, { license_id: first.id });
    expect((await validate(user, first.key, newDeviceId())).body).toMatchObject({ code: 'LICENSE_NOT_FOUND' });
    expect((await validate(user, second.key, newDeviceId())).body).toMatchObject({ valid: true });
    expect((await validate(user, stringIn(body, 'license_key'), newDeviceId())).body).toMatchObject({ valid: true });
    for (const license_id of [foreign.id, 'no id', '']) {
      const refused = await replace(user, { license_id });
      expect(refused.status).toBe(404);
      expect(refused.body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
    }
    expect((await validate(other, foreign.key, newDeviceId())).body).toMatchObject({ valid: true });
  });

  it('gets the same key again for the same Idempotency-Key and the password, as long as it is the current one', async () => {
    const user = await signUp(server);
    const { id } = await issueLicense(server, '--email', user.email);
    const send = ({ password = user.password, ...more }: { password?: string; license_id?: string } = {}) =>
      server.call('replaceLicenseKey', {
        token: user.token,
        body: { password, ...more },
        headers: { 'idempotency-key': 'sent again' },
      });
    const [first, ...repeated] = await Promise.all([send(), send(), send()]);
    expect(first?.body).toMatchObject({ license_key: licenseKey });
    for (const { body } of [...repeated, await send()]) expect(body).toStrictEqual(first?.body);
    const events = server.database.read.selectFrom('audit_events').select('action').where('target_id', '=', id);
    const actions = (await events.execute()).map(({ action }) => action);
    expect(actions.filter((action) => action === 'license.replace_key')).toHaveLength(1);
    expect((await send({ password: 'not this one' })).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
    expect((await send({ license_id: id })).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    await replace(user);
    expect((await send()).body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
  });

  it('needs a license that is not revoked', async () => {
    const user = await signUp(server);
    expect((await replace(user)).body).toStrictEqual(envelope('LICENSE_NOT_FOUND'));
    const { id } = await issueLicense(server, '--email', user.email);
    await server.admin('license', 'set', id, '--status', 'revoked');
    const { status, body } = await replace(user);
    expect(status).toBe(403);
    expect(body).toStrictEqual(envelope('LICENSE_INACTIVE'));
    await expect(server.admin('license', 'replace-key', id)).rejects.toThrow('revoked');
  });

  it('is informed by a mail, in the language of the request, that contains neither key', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    });
    const user = await signUp(app);
    const { key } = await issueLicense(app, '--email', user.email);
    const path = '/api/v1/license/replace-key';
    const body = { password: user.password };
    const headers = { 'accept-language': 'de' };
    const replaced = await app.request('POST', path, { token: user.token, body: JSON.stringify(body), headers });
    await sendMails(app);
    const mail = smtp.mails.find(({ subject }) => subject === 'Ihr Lizenzschlüssel wurde ersetzt');
    expect(mail?.to).toBe(user.email);
    for (const secret of [key, stringIn(replaced.body, 'license_key')]) {
      expect(mail?.text).not.toContain(secret);
      expect(app.logText()).not.toContain(secret);
    }
  });

  it('is informed of each license whose key was replaced, even while the mail about another one waits', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    });
    const user = await signUp(app);
    for (const plan of ['standard', 'advanced']) {
      const { id } = await issueLicense(app, '--email', user.email, '--plan', plan);
      await app.admin('license', 'replace-key', id);
    }
    await sendMails(app);
    const texts = smtp.mails.filter(({ to }) => to === user.email).map(({ text }) => text);
    expect(texts).toHaveLength(2);
    for (const plan of ['standard', 'advanced']) expect(texts.join()).toContain(`the plan ${plan} (`);
  });
});

describe('an admin', () => {
  it('can replace a key with a command, which is recorded in the audit log and sent as an event', async () => {
    const app = await startTestApp();
    await app.admin('webhook', 'add', 'https://crm.example/events', '--event', 'license.key_replaced');
    const user = await signUp(app);
    const { key, id } = await issueLicense(app, '--email', user.email);
    const replaced = await app.admin('license', 'replace-key', id);
    expect(replaced).toMatchObject({ license_key: licenseKey, license: { id, email: user.email } });
    expect((await validate(user, key, newDeviceId(), app)).body).toMatchObject({ code: 'LICENSE_NOT_FOUND' });
    expect(await app.admin('audit', 'list')).toContainEqual(
      expect.objectContaining({ action: 'license.replace_key', target_id: id }),
    );
    const [endpoint] = (await app.admin('webhook', 'list')) as unknown as { id: string }[];
    const deliveries = await app.admin('webhook', 'deliveries', endpoint?.id ?? '');
    expect(deliveries).toMatchObject([{ type: 'license.key_replaced' }]);
    expect(JSON.stringify(await app.database.read.selectFrom('event_deliveries').selectAll().execute())).not.toContain(
      stringIn(replaced, 'license_key'),
    );
  });

  it('cannot mail the key of a license without an owner, and then nothing is replaced', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
    });
    const { key, id } = await issueLicense(app);
    await expect(app.admin('license', 'replace-key', id, '--send')).rejects.toThrow('no owner');
    const user = await signUp(app);
    expect((await validate(user, key, newDeviceId(), app)).body).toMatchObject({ valid: true });
  });

  it('can do so on the admin page as support, after a confirmation', async () => {
    const app = await startTestApp();
    const support = await newStaff(app, 'support');
    const user = await signUp(app);
    const { id } = await issueLicense(app, '--email', user.email);
    app.clock.advance(10 * minute);
    const refused = await support.browser.call('replaceLicenseKeyOf', { at: id, body: {} });
    expect(refused.body).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
    const viewer = await newStaff(app, 'viewer');
    expect((await viewer.browser.call('replaceLicenseKeyOf', { at: id, body: {} })).status).toBe(403);
    const fresh = await newStaff(app, 'support');
    expect(await fresh.browser.expectOk('replaceLicenseKeyOf', { at: id, body: {} })).toMatchObject({
      license_key: licenseKey,
      license: { id },
    });
  });
});

describeEachDatabase((database) => {
  it('replacing a key while a device is activated with it has one consistent outcome', async () => {
    const app = await startHttpServer(await database.createAdmin());
    const user = await signUp(app);
    for (let round = 0; round < 10; round++) {
      const { key, id } = await issueLicense(app, '--email', user.email);
      const deviceId = newDeviceId();
      const [replaced, activated] = await Promise.all([
        replace(user, { license_id: id }, app),
        app.call('activateLicense', { token: user.token, body: { license_key: key, device_id: deviceId } }),
      ]);
      expect(replaced.status).toBe(200);
      expect([200, 404]).toContain(activated.status);
      const now = await validate(user, stringIn(replaced.body, 'license_key'), deviceId, app);
      expect(now.body).toMatchObject({ valid: true, already_activated_on_device: activated.status === 200 });
    }
  });

  it('two simultaneous replacements leave one key that works', async () => {
    const app = await startHttpServer(await database.createAdmin());
    const user = await signUp(app);
    await issueLicense(app, '--email', user.email);
    const both = await Promise.all([replace(user, {}, app), replace(user, {}, app)]);
    const keys = both.map(({ body }) => stringIn(body, 'license_key'));
    const found = await Promise.all(keys.map((key) => validate(user, key, newDeviceId(), app)));
    expect(found.filter(({ body }) => body.valid === true)).toHaveLength(1);
  });
});
