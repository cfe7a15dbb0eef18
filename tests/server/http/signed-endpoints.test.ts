/** The endpoints whose requests are signed: what is checked first, and what counts against their limits. */
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { examples } from '../../../server/openapi/examples.ts';
import type { Endpoint } from '../../../shared/api/endpoints.ts';
import { integrationEndpoints, type SignedEndpointName } from '../../../shared/api/integration-endpoints.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';
import { signUp } from '../../harness/users.ts';

const standardSecret = `whsec_${randomBytes(32).toString('base64')}`;
const providerSecret = 'whsec_a signing secret';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const keyId = createHash('sha256').update(pem).digest('hex');

const hmac = (text: string) => createHmac('sha256', providerSecret).update(text).digest('hex');
const secondsOf = (timeMs: number) => String(Math.floor(timeMs / 1000));

/** Signs a body as the sender of each endpoint does. */
const signers: Readonly<Record<SignedEndpointName, (body: string, nowMs: number) => Record<string, string>>> = {
  billing_webhook: (body, nowMs) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': secondsOf(nowMs),
    'webhook-signature': new Webhook(standardSecret).sign('msg_1', new Date(nowMs), body),
  }),
  billing_stripe: (body, nowMs) => ({
    'stripe-signature': `t=${secondsOf(nowMs)},v1=${hmac(`${secondsOf(nowMs)}.${body}`)}`,
  }),
  billing_lemonsqueezy: (body) => ({ 'x-signature': hmac(body) }),
  github_report: (body) => ({
    'github-public-key-identifier': keyId,
    'github-public-key-signature': sign('sha256', Buffer.from(body), privateKey).toString('base64'),
  }),
};

async function startConfigured(settings: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const keysFile = join(temporaryFolder(), 'github-keys.json');
  writeFileSync(keysFile, JSON.stringify({ public_keys: [{ key_identifier: keyId, key: pem }] }));
  return await startTestApp({
    LATCHKEY_BILLING_SECRET: standardSecret,
    LATCHKEY_STRIPE_WEBHOOK_SECRET: providerSecret,
    LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET: providerSecret,
    LATCHKEY_GITHUB_SCANNING_KEYS: keysFile,
    ...settings,
  });
}

const entries: readonly (readonly [string, Endpoint])[] = Object.entries(integrationEndpoints);
const signed = entries.filter(([, { auth }]) => auth === 'signature').map(([name]) => name as SignedEndpointName);
const exampleOf = (name: SignedEndpointName) => JSON.stringify(examples[name].request);

it('there is a signer for each of them', () => {
  expect(signed).toEqual(Object.keys(signers));
});

describe.each(signed)('%s', (name) => {
  const body = exampleOf(name);
  const send = (on: TestApp, text: string, headers = signers[name](text, on.now())) =>
    on.call(name, { body: text, headers });

  it('accepts the example of the document, and only if it is signed', async () => {
    const on = await startConfigured();
    expect((await send(on, body, {})).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await send(on, `${body} `, signers[name](body, on.now()))).body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect((await send(on, body)).status).toBe(200);
  });

  it('checks the signature before it reads the body, which it then validates', async () => {
    const on = await startConfigured();
    for (const wrong of ['{', 'null', '5', '"text"']) {
      expect((await send(on, wrong, {})).body, `unsigned ${wrong}`).toStrictEqual(envelope('INVALID_TOKEN'));
      expect((await send(on, wrong)).body, `signed ${wrong}`).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
  });

  it('is limited for requests without a valid signature only', async () => {
    const on = await startConfigured({ LATCHKEY_RATE_DEFAULT: '2' });
    const unsigned = async () => (await send(on, body, {})).status;
    expect([await unsigned(), await unsigned(), await unsigned()]).toEqual([401, 401, 429]);
    const { status, headers } = await send(on, body);
    expect([status, headers.get('ratelimit')]).toEqual([200, null]);
    expect((await send(on, body, {})).headers.get('ratelimit-policy')).toBe(`"${name}";q=2;w=60`);
  });

  it('accepts bodies of up to 256 KiB, and no session or token in place of a signature', async () => {
    const on = await startConfigured();
    const padded = (bytes: number) => body + ' '.repeat(bytes - body.length);
    expect((await send(on, padded(256 * 1024))).status).toBe(200);
    const tooLarge = await send(on, padded(256 * 1024 + 1));
    const error = 'The request body is larger than 256 KiB.';
    expect([tooLarge.status, tooLarge.body]).toStrictEqual([413, { error, code: 'PAYLOAD_TOO_LARGE' }]);
    const { token } = await signUp(on);
    expect((await on.call(name, { body, token })).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('does not exist on a server without the setting for it', async () => {
    const on = await startTestApp();
    expect((await send(on, body)).body).toStrictEqual(envelope('NOT_FOUND'));
  });
});

it('requests whose signature cannot be checked count against the address too', async () => {
  const on = await startConfigured({ LATCHKEY_RATE_DEFAULT: '2' });
  const { githubKeysFile } = on.config;
  rmSync(githubKeysFile ?? '');
  const report = async () => (await on.call('github_report', { body: exampleOf('github_report') })).status;
  expect([await report(), await report(), await report()]).toEqual([503, 503, 429]);
});
