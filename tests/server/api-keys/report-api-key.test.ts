/** Reports of leaked API keys: anyone can have a key revoked at once. Transport: inject. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limitsOn } from '../../harness/environment.ts';
import { minute } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { sendMails, startSmtpServer } from '../../harness/mails.ts';
import { envelope, invalid } from '../../harness/response-shapes.ts';
import { sharedApp, startTestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { Json, TestServer } from '../../harness/test-server.ts';
import { signUp, subscriber, type User } from '../../harness/users.ts';
import { describeEachDatabase, listEntries } from '../audit/databases.ts';

const server = sharedApp();

async function generateKey(on: TestServer, { token }: User): Promise<string> {
  return stringIn((await on.call('apiKey', { token, body: {} })).body, 'api_key');
}

const validate = async (on: TestServer, api_key: string) =>
  (await on.call('validateApiKey', { body: { api_key } })).body;

describe('a reported API key', () => {
  it('is invalid at once, and the owner is informed with the next key', async () => {
    const user = await subscriber(server);
    const key = await generateKey(server, user);
    expect(await validate(server, key)).toMatchObject({ valid: true });
    const { status, body } = await server.call('reportApiKey', { body: { api_key: key } });
    expect({ status, body }).toStrictEqual({ status: 200, body: { success: true } });
    expect(await validate(server, key)).toStrictEqual(invalid('INVALID_API_KEY'));
    const { body: next } = await server.call('apiKey', { token: user.token, body: {} });
    expect(Object.keys(next).sort()).toEqual(['api_key', 'created_at', 'features', 'is_legacy', 'message', 'plan']);
    const at = new Date(server.now()).toISOString();
    expect(next.message).toContain(`Your key ${key.slice(0, 13)}… was reported as leaked on ${at} and revoked.`);
    const { body: another } = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
    expect(another.message, 'told once').not.toContain('reported');
  });

  it('that does not exist, or no longer does, gets the same response and changes nothing', async () => {
    const user = await subscriber(server);
    const old = await generateKey(server, user);
    const { body } = await server.call('apiKey', { token: user.token, body: { regenerate: true } });
    for (const api_key of [old, '', 'x'.repeat(10_000), 'svc_live_', '\0', 'svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz']) {
      const response = await server.call('reportApiKey', { body: { api_key } });
      expect(response.body).toStrictEqual({ success: true });
    }
    expect(await validate(server, stringIn(body, 'api_key'))).toMatchObject({ valid: true });
  });

  it('is shown to its owner as revoked and reported, until there is a new one', async () => {
    const user = await subscriber(server);
    const status = async () => (await server.call('apiKeyStatus', { token: user.token })).body;
    expect(await status()).toStrictEqual({ key: null });
    const key = await generateKey(server, user);
    const created_at = new Date(server.now()).toISOString();
    const current = { api_key_prefix: key.slice(0, 13), is_legacy: false, created_at, revoked_at: null };
    expect(await status()).toStrictEqual({ key: { ...current, reported_at: null } });
    server.clock.advance(minute);
    await server.call('reportApiKey', { body: { api_key: key } });
    const at = new Date(server.now()).toISOString();
    expect(await status()).toStrictEqual({ key: { ...current, revoked_at: at, reported_at: at } });
    const next = await generateKey(server, user);
    expect(await status()).toMatchObject({ key: { api_key_prefix: next.slice(0, 13), revoked_at: null } });
    await server.admin('api-key', 'revoke', user.email);
    expect(await status()).toMatchObject({ key: { revoked_at: expect.any(String), reported_at: null } });
  });

  it('may be a legacy key', async () => {
    const user = await signUp(server);
    await server.admin('api-key', 'import-legacy', user.email, '--key', 'old-key-1', '--expires-at', '2099-01-01');
    expect(await validate(server, 'old-key-1')).toMatchObject({ valid: true });
    await server.call('reportApiKey', { body: { api_key: 'old-key-1' } });
    expect(await validate(server, 'old-key-1')).toStrictEqual(invalid('INVALID_API_KEY'));
  });

  it('is required, and the endpoint has a separate limit', async () => {
    const limited = await startTestApp(limitsOn);
    for (const body of [{}, { api_key: 1 }, [], 'x']) {
      expect((await limited.call('reportApiKey', { body })).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
    for (let left = 56; left > 0; left--) await limited.call('reportApiKey', { body: { api_key: 'x' } });
    expect((await limited.call('reportApiKey', { body: { api_key: 'x' } })).status).toBe(429);
    expect((await limited.call('validateApiKey', { body: { api_key: 'x' } })).status).toBe(200);
  });
});

describeEachDatabase((database) => {
  it('a report is recorded in the audit log without the key, and only once if repeated', async () => {
    const admin = await database.createAdmin();
    const on = await startHttpServer(admin);
    const user = await subscriber(on);
    const api_key = await generateKey(on, user);
    await Promise.all([1, 2, 3].map(() => on.call('reportApiKey', { body: { api_key } })));
    expect(await validate(on, api_key)).toStrictEqual(invalid('INVALID_API_KEY'));
    const entries = (await listEntries(admin)).filter(({ action }) => action === 'api_key.report');
    expect(entries).toMatchObject([
      {
        actor: 'anonymous',
        target: `api_key ${user.email}`,
        address: '127.0.0.1',
        details: { key_prefix: api_key.slice(0, 13) },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain(api_key);
  });
});

describeEachDatabase((database) => {
  it('a report is mailed to the owner, only once', async () => {
    const smtp = await startSmtpServer();
    const admin = await database.createAdmin();
    Object.assign(admin.settings, { LATCHKEY_SMTP_URL: smtp.url });
    const on = await startHttpServer(admin);
    const user = await subscriber(on);
    const api_key = await generateKey(on, user);
    for (const _ of [1, 2]) await on.call('reportApiKey', { body: { api_key } });
    const [mail] = await smtp.waitFor(user.email);
    expect(mail?.subject).toMatch(/^Your API key was revoked \/ Ihr API-Schlüssel .* \/ API キー/);
    expect(mail?.text).toContain(`the API key ${api_key.slice(0, 13)}… of the account ${user.email}`);
    expect(mail?.text).not.toContain(api_key);
    expect(smtp.mails).toHaveLength(1);
  });
});

describe('the mail about a reported key', () => {
  it('states when the key was revoked, in each language', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    app.clock.setNow(Date.UTC(2027, 2, 5, 14, 7));
    const key = await generateKey(app, await subscriber(app));
    await app.call('reportApiKey', { body: { api_key: key } });
    await sendMails(app);
    const parts = smtp.mails[0]?.text.split('---') ?? [];
    const times = ['March 5, 2027 at 2:07', '5. März 2027 um 14:07', '2027年3月5日 14:07'];
    expect(parts).toHaveLength(3);
    for (const [index, time] of times.entries()) expect(parts[index]).toContain(time);
  });

  it('is sent once per key, even if the mail server is unavailable, and reports do not wait for it', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const user = await subscriber(app);
    const keys: string[] = [];
    smtp.rejection = '451 later';
    for (const _ of [1, 2]) {
      const api_key = await generateKey(app, user);
      const { body } = await app.call('reportApiKey', { body: { api_key } });
      expect(body).toStrictEqual({ success: true });
      expect(await validate(app, api_key)).toStrictEqual(invalid('INVALID_API_KEY'));
      await sendMails(app);
      keys.push(api_key);
    }
    smtp.rejection = undefined;
    app.clock.advance(minute);
    await sendMails(app);
    expect(smtp.mails).toHaveLength(2);
    for (const key of keys) expect(smtp.mails.some(({ text }) => text.includes(`${key.slice(0, 13)}…`))).toBe(true);
  });

  it('is not written for a key that no account has any more, or if no mail server is configured', async () => {
    const smtp = await startSmtpServer();
    const app = await startTestApp({ LATCHKEY_SMTP_URL: smtp.url });
    const user = await subscriber(app);
    const old = await generateKey(app, user);
    await app.call('apiKey', { token: user.token, body: { regenerate: true } });
    await app.call('reportApiKey', { body: { api_key: old } });
    await server.call('reportApiKey', { body: { api_key: await generateKey(server, await subscriber(server)) } });
    for (const { database } of [app, server]) {
      expect(await database.read.selectFrom('mails').select('id').execute()).toEqual([]);
    }
  });
});

describe('a report by GitHub’s secret scanning', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const identifier = createHash('sha256').update(pem).digest('hex');
  const path = '/api/v1/metrics/api-key/github';

  async function startConfigured(settings: Readonly<Record<string, string>> = {}) {
    const keysFile = join(temporaryFolder(), 'github-keys.json');
    const public_keys = [{ key_identifier: identifier, key: pem, is_current: true }];
    writeFileSync(keysFile, JSON.stringify({ public_keys }));
    return { keysFile, on: await startTestApp({ LATCHKEY_GITHUB_SCANNING_KEYS: keysFile, ...settings }) };
  }

  function send(on: TestServer, findings: unknown, change: Readonly<Record<string, string>> = {}) {
    const body = JSON.stringify(findings);
    const headers = {
      'github-public-key-identifier': identifier,
      'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
      ...change,
    };
    return on.request('POST', path, { body, headers });
  }

  it('revokes the listed keys, says which ones are real, and records where they were found', async () => {
    const { on } = await startConfigured();
    const user = await subscriber(on);
    const token = await generateKey(on, user);
    const url = `https://github.com/ada/lab/blob/main/config.ts?token=${token}#L3`;
    const type = 'latchkey_api_key';
    const { status, text } = await send(on, [
      { token, type, url, source: 'content' },
      { token: 'svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz', type, url: null, source: 'commit' },
    ]);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual([
      { token_raw: token, token_type: type, label: 'true_positive' },
      { token_raw: 'svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz', token_type: type, label: 'false_positive' },
    ]);
    expect(await validate(on, token)).toStrictEqual(invalid('INVALID_API_KEY'));
    const entries = (await on.admin('audit', 'list')) as unknown as readonly Json[];
    expect(entries.find(({ action }) => action === 'api_key.report')).toMatchObject({
      actor: 'GitHub',
      action: 'api_key.report',
      details: { source: 'github', place: 'github.com/ada/lab/blob/main/config.ts' },
    });
    expect(on.logText()).not.toContain(token);
  });

  it('is mailed to the owner, with the place where the key was found', async () => {
    const smtp = await startSmtpServer();
    const { on } = await startConfigured({ LATCHKEY_SMTP_URL: smtp.url });
    const user = await subscriber(on);
    const token = await generateKey(on, user);
    const url = `https://github.com/ada/lab/blob/main/config.ts?token=${token}#L3`;
    await send(on, [{ token, type: 'latchkey_api_key', url, source: 'content' }]);
    await sendMails(on);
    expect(smtp.mails).toMatchObject([{ to: user.email }]);
    expect(smtp.mails[0]?.text).toContain('Where it was found: github.com/ada/lab/blob/main/config.ts\n');
    expect(smtp.mails[0]?.text).not.toContain(token);
  });

  it('is refused without a signature made with one of the keys', async () => {
    const { on } = await startConfigured();
    const user = await subscriber(on, 'standard');
    const token = await generateKey(on, user);
    const findings = [{ token, type: 't', url: '', source: 'content' }];
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const forged = sign('sha256', Buffer.from(JSON.stringify(findings)), other).toString('base64');
    const changes: Readonly<Record<string, string>>[] = [
      { 'github-public-key-signature': forged },
      { 'github-public-key-signature': '' },
      { 'github-public-key-signature': 'not base64 %' },
      { 'github-public-key-identifier': 'unknown' },
    ];
    for (const change of changes) {
      expect((await send(on, findings, change)).body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
    expect(await validate(on, token)).toMatchObject({ valid: true });
  });

  it('gets VALIDATION_ERROR if malformed, and SERVICE_UNAVAILABLE while the key file is missing', async () => {
    const { on, keysFile } = await startConfigured();
    for (const findings of [{}, [{ token: 1, type: '', url: '' }], null, [[]]]) {
      expect((await send(on, findings)).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
    expect((await send(on, [])).status).toBe(200);
    rmSync(keysFile);
    expect((await send(on, [])).body).toStrictEqual(envelope('SERVICE_UNAVAILABLE'));
  });
});
