/**
 * Row 17 of the matrix: forty secrets take every path through a server, and are then searched for in its log, database,
 * backups and folder. None may be found except as a hash. Transport: HTTP.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startEventReceiver } from '../harness/event-receiver.ts';
import { type HttpServer, startHttpServer } from '../harness/http-server.ts';
import { startSmtpServer } from '../harness/mails.ts';
import type { SmtpServer } from '../harness/smtp-server.ts';
import { addStaffByLink, StaffBrowser, signInStaff } from '../harness/staff.ts';
import { createAdmin, temporaryFolder } from '../harness/test-admin.ts';
import { stringIn } from '../harness/test-client.ts';
import { activate, goodPassword, issueLicense, newEmail, subscribe } from '../harness/users.ts';
import { billingSecret } from '../server/billing/billing-events.ts';
import { reportFigures } from './matrix-run.ts';

const row = 17;

class Secrets {
  readonly all = new Map<string, string>();

  /** Records a secret under a name, and returns it. */
  readonly add = (name: string, secret: unknown): string => {
    const text = String(secret);
    expect(text.length, name).toBeGreaterThan(9);
    this.all.set(name, text);
    return text;
  };

  /** Returns the names of the secrets in these bytes, in plain text or in a readable encoding. */
  findIn(bytes: Buffer): string[] {
    return [...this.all].flatMap(([name, secret]) => {
      const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')];
      // The part of the Base64 form that does not depend on the surrounding bytes.
      const encoded = Buffer.from(secret).toString('base64').slice(0, -4);
      return [...forms, encoded].some((form) => bytes.includes(form)) ? [name] : [];
    });
  }
}

const newSecret = (what: string) => `${what} ${randomUUID()}`;

async function useAccount(server: HttpServer, smtp: SmtpServer, { add }: Secrets): Promise<string> {
  const email = newEmail();
  const password = add('password', newSecret('first'));
  const signedUp = await server.call('signup', { body: { email, password, full_name: 'Ada' } });
  expect(signedUp.status, signedUp.text).toBe(200);
  const token = add('access token', signedUp.body.access_token);
  const refreshToken = add('refresh token', signedUp.body.refresh_token);
  await subscribe(server, { email, password, token, refreshToken, id: '' }, 'advanced');
  await server.call('login', { body: { email, password: add('wrong password', newSecret('wrong')) } });
  await server.call('login', { body: `{"password": "${add('password in broken JSON', newSecret('broken'))}` });
  await server.request('GET', `/api/v1/about?password=${add('password in a query', randomUUID())}`);
  await server.request('GET', `/api/v1/nothing/${add('secret in a path', randomUUID())}`);
  await server.request('GET', '/api/v1/about', {
    headers: { 'user-agent': add('secret as user agent', randomUUID()) },
  });
  await server.request('GET', '/api/v1/about', {
    headers: { 'x-request-id': randomUUID(), cookie: `s=${add('cookie', randomUUID())}` },
  });
  const key = add('idempotency key', randomUUID());
  const refreshed = await server.call('refresh', {
    body: { refresh_token: refreshToken },
    headers: { 'idempotency-key': key },
  });
  add('access token of a refresh', refreshed.body.access_token);
  add('refresh token of a refresh', refreshed.body.refresh_token);
  const signedIn = await server.call('login', { body: { email, password } });
  const current = add('access token of a sign-in', signedIn.body.access_token);
  add('refresh token of a sign-in', signedIn.body.refresh_token);
  const page = await server.call('accountSignIn', {
    body: { email, password },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  add('cookie of the account page', /=([\w-]{43})/.exec(page.headers.get('set-cookie') ?? '')?.[1]);
  add('checkout token', (await server.call('checkoutToken', { token: current })).body.token);
  const license = await issueLicense(server, '--email', email);
  add('license key', license.key);
  const { deviceId } = await activate(server, { token: current }, license.key);
  await server.call('heartbeat', {
    token: current,
    body: { device_id: deviceId, instance: randomUUID() },
  });
  add('lease', (await server.call('lease', { token: current, body: { device_id: deviceId } })).body.lease);
  await server.call('validateLicense', {
    token: current,
    body: { license_key: 'SVC-WRNG-WRNG-WRNG-0000', device_id: deviceId },
  });
  const keyOfApi = add('idempotency key of an API key', randomUUID());
  const apiKey = await server.call('apiKey', { token: current, body: {}, headers: { 'idempotency-key': keyOfApi } });
  add('API key', apiKey.body.api_key);
  await server.call('validateApiKey', { body: { api_key: stringIn(apiKey.body, 'api_key') } });
  await server.call('validateApiKey', {
    headers: { 'x-api-key': add('mistyped API key', `svc_live_${randomUUID().slice(0, 25)}!`) },
  });
  const another = await server.call('apiKey', { token: current, body: { regenerate: true } });
  add('second API key', another.body.api_key);
  await server.call('reportApiKey', { body: { api_key: stringIn(another.body, 'api_key') } });
  add(
    'replaced license key',
    (await server.call('replaceLicenseKey', { token: current, body: { password } })).body.license_key,
  );
  const changed = add('changed password', newSecret('changed'));
  await server.call('changePassword', { token: current, body: { current_password: password, new_password: changed } });
  const again = await server.call('login', { body: { email, password: changed } });
  const latest = add('last access token', again.body.access_token);
  add('last refresh token', again.body.refresh_token);
  await server.call('changeEmail', { token: latest, body: { email: newEmail(), password: changed } });
  await server.call('forgotPassword', { body: { email } });
  const linkIn = async (pattern: RegExp) => {
    const find = () => smtp.mails.map(({ text }) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
    await expect.poll(find).toBeDefined();
    return find();
  };
  add('link that confirms an email', await linkIn(/\/confirm#token=([\w-]+)/));
  const link = add('link for a new password', await linkIn(/\/reset#token=([\w-]+)/));
  const fromMail = add('password by a link', newSecret('mailed'));
  expect((await server.call('resetPassword', { body: { token: link, new_password: fromMail } })).status).toBe(200);
  await server.call('logout', { body: { refresh_token: add('unknown refresh token', `v1.${randomUUID()}`) } });
  return email;
}

async function useStaff(server: HttpServer, { add }: Secrets): Promise<void> {
  const email = await addStaffByLink(server, 'owner');
  const owner = await signInStaff(server, email);
  add('cookie of staff', owner.cookie.split('=')[1]);
  await new StaffBrowser(server).signIn(email, add('wrong password of staff', newSecret('wrong')));
  const { staff } = await owner.expectOk('addStaff', { body: { email: newEmail(), role: 'viewer' } });
  const { url } = await owner.expectOk('createStaffLink', { at: (staff as { id: string }).id });
  const token = add('link for staff', /token=([\w-]+)/.exec(String(url))?.[1]);
  const password = add('password of staff', newSecret('staff'));
  await new StaffBrowser(server).expectOk('redeemWelcome', { body: { token, password } });
  const { link } = await owner.expectOk('inviteAccount', { body: { email: newEmail() } });
  add('invitation', /token=([\w-]+)/.exec(String(link))?.[1]);
  const ofAdmin = newEmail();
  const { id } = await owner.expectOk('createAccount', { body: { email: ofAdmin } });
  await owner.expectOk('setAccountPassword', {
    at: String(id),
    body: { password: add('password set by staff', newSecret('set')) },
  });
  const receiver = await startEventReceiver();
  const webhook = await owner.expectOk('addWebhook', { body: { url: receiver.url } });
  add('secret of a webhook', webhook.secret);
  const issued = await owner.expectOk('issueLicense', { body: { email: ofAdmin } });
  add('license key by staff', issued.license_key);
  await owner.expectOk('sendLicense', {
    at: (issued.license as { id: string }).id,
    body: { license_key: issued.license_key },
  });
  const passwordOfStaff = add('changed password of staff', newSecret('new'));
  await owner.expectOk('changeStaffPassword', {
    body: { current_password: goodPassword, new_password: passwordOfStaff },
  });
}

/** Returns every file in the folder and its subfolders. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

describe('the secrets of accounts and staff', () => {
  it('appear nowhere in the log, the database, the backups and the folder of the server', async () => {
    const smtp = await startSmtpServer();
    const backups = join(temporaryFolder(), 'backups');
    const secrets = new Secrets();
    const admin = createAdmin({
      LATCHKEY_SMTP_URL: smtp.url,
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
      LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1',
      LATCHKEY_BILLING_SECRET: secrets.add('billing secret', billingSecret),
      LATCHKEY_STRIPE_WEBHOOK_SECRET: secrets.add('secret of Stripe', `whsec_${randomUUID()}`),
      LATCHKEY_METRICS_TOKEN: secrets.add('token of the metrics', randomUUID()),
      LATCHKEY_LOG_REQUESTS: 'all',
      LATCHKEY_LOG_LEVEL: 'trace',
    });
    const server = await startHttpServer(admin);
    await useAccount(server, smtp, secrets);
    await useStaff(server, secrets);
    expect(secrets.all.size).toBeGreaterThanOrEqual(40);
    // Mails are sent within seconds, and their content is not kept after that.
    await expect.poll(() => smtp.mails.length).toBeGreaterThan(4);
    await admin.json(['backup', join(temporaryFolder(), 'unused.tar')]);
    const archive = join(temporaryFolder(), 'copy.tar');
    await admin.json(['backup', archive]);
    await server.stop();
    const restored = createAdmin();
    await restored.json(['restore', archive]);
    const places: readonly (readonly [string, Buffer])[] = [
      ['the log', Buffer.from(server.process.stdout() + server.process.stderr())],
      ['the backup', readFileSync(archive)],
      ...[admin.folder, restored.folder, backups]
        .filter((folder) => existsSync(folder))
        .flatMap(filesIn)
        .map((file): readonly [string, Buffer] => [file.split('/').at(-1) ?? '', readFileSync(file)]),
    ];
    expect(places.map(([name]) => name)).toContain('latchkey.db');
    const found = places.flatMap(([place, bytes]) => secrets.findIn(bytes).map((name) => `${name} in ${place}`));
    expect(found).toStrictEqual([]);
    // A control: the search does find secrets that are present.
    expect(secrets.findIn(Buffer.from([...secrets.all.values()].join('\n')))).toHaveLength(secrets.all.size);
    reportFigures(row, {
      amount: `${secrets.all.size} secrets`,
      figures: {
        places: places.length,
        'MB searched': Math.round(places.reduce((sum, [, { length }]) => sum + length, 0) / 1e6),
      },
    });
  });
});
