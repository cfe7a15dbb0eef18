/** Bearer authentication: which access tokens are accepted, and which error each other token gets. */
import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { signToken } from '../../../server/keys/json-web-token.ts';
import { SigningKeyService } from '../../../server/keys/signing-key.service.ts';
import { type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import { hour, minute } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp, startApp, startTestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import { newDeviceId, signUp, type User } from '../../harness/users.ts';

const server = sharedApp();
let user: User;

// A test may have moved the clock, so each one gets a new account.
beforeEach(async () => {
  user = await signUp(server);
});

const bearerEndpoints = (Object.keys(endpoints) as EndpointName[]).filter((name) => endpoints[name].auth === 'bearer');

/** A valid request body for any of the endpoints. */
function goodBody(name: EndpointName) {
  if (!('request' in endpoints[name])) return undefined;
  return { license_key: 'SVC-AAAA-AAAA-AAAA-AAAA', device_id: newDeviceId() };
}

type Parts = {
  readonly header: Record<string, unknown>;
  readonly payload: Record<string, unknown>;
  readonly signature: string;
};

function partsOf(token: string): Parts {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  return { header: decode(header), payload: decode(payload), signature };
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function tokenOf({ header, payload, signature }: Parts): string {
  return `${encode(header)}.${encode(payload)}.${signature}`;
}

/** Signs a token with the attacker's own key. */
function forge(header: unknown, payload: unknown, secret = 'attacker'): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Malformed in ways that `forged-tokens.test.ts` does not try. */
const malformedTokens: readonly (readonly [string, (token: string) => string])[] = [
  ['has one dot', (token) => token.split('.').slice(0, 2).join('.')],
  ['has three empty parts', () => '..'],
  ['names no key', (token) => tokenOf({ ...partsOf(token), header: { alg: partsOf(token).header.alg, typ: 'JWT' } })],
  ['has a header that is no JSON', (token) => `e30x.${token.split('.').slice(1).join('.')}`],
  ['has a payload that is no object', (token) => `${token.split('.')[0]}.${encode('text')}.${token.split('.')[2]}`],
  ['has eight thousand characters', () => 'x'.repeat(8_000)],
];

describe.each(bearerEndpoints)('%s', (name) => {
  it('requires a token', async () => {
    const { status, headers, body } = await server.call(name, { body: goodBody(name), at: 'x' });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });

  it('does not accept an API key in place of a token', async () => {
    const headers = { 'x-api-key': `svc_live_${'A'.repeat(26)}` };
    const { body } = await server.call(name, { headers, body: goodBody(name), at: 'x' });
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('an access token', () => {
  it('is a JWT that names its key, issuer, audience, account and expiry', async () => {
    const { header, payload } = partsOf(user.token);
    expect(header).toMatchObject({ alg: expect.stringMatching(/^(?!none)/i), kid: expect.stringMatching(/./) });
    expect(payload).toMatchObject({ iss: expect.any(String), aud: expect.anything(), sub: user.id });
    expect(payload.exp).toSatisfy(Number.isInteger);
  });

  it('expires exactly when expires_at says', async () => {
    const { body } = await server.call('login', { body: { email: user.email, password: user.password } });
    const { exp } = partsOf(String(body.access_token)).payload;
    expect(new Date(Number(exp) * 1000).toISOString()).toBe(body.expires_at);
  });

  it('has no other claims and no personal data', () => {
    const { payload } = partsOf(user.token);
    expect(Object.keys(payload).sort()).toStrictEqual([
      ...['aud', 'exp', 'iat', 'iss', 'jti', 'password_changed_at_ms', 'sid', 'sub'],
    ]);
    expect(JSON.stringify(payload)).not.toContain(user.email);
  });

  it('works until the millisecond in which it expires', async () => {
    const { token } = await signUp(server);
    const status = async () => await server.call('subscriptionStatus', { token });
    const expiresAtMs = Number(partsOf(token).payload.exp) * 1000;
    server.clock.advance(expiresAtMs - server.now() - 1);
    expect((await status()).status).toBe(200);
    server.clock.advance(1);
    const response = await status();
    expect(response.body).toStrictEqual(envelope('TOKEN_EXPIRED'));
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="account", error="invalid_token"');
  });

  it.each([
    ['that the server has seen', true],
    ['that it has not', false],
  ])('%s is accepted after the clock was set back by up to a minute, and rejected beyond that', async (_, isSeen) => {
    const app = await startTestApp();
    const { token } = await signUp(app);
    const code = async () => (await app.call('subscriptionStatus', { token })).body.code;
    if (isSeen) expect(await code()).toBeUndefined();
    const leftMs = Number(partsOf(token).payload.exp) * 1000 - app.now();
    app.clock.advance(leftMs - hour - minute);
    expect(await code()).toBeUndefined();
    app.clock.advance(-1);
    expect(await code()).toBe('INVALID_TOKEN');
  });

  it('is rejected as INVALID_TOKEN once its key was replaced as compromised, even if it was verified before', async () => {
    const app = await startTestApp();
    const { token } = await signUp(app);
    const code = async () => (await app.call('subscriptionStatus', { token })).body.code;
    expect(await code()).toBeUndefined();
    await app.admin('key', 'rotate', '--purpose', 'access-token', '--compromised');
    expect(await code()).toBe('INVALID_TOKEN');
  });

  it('has its signature verified once, and again only after a signing key or a plan has changed', async () => {
    const app = await startTestApp();
    const { token, email } = await signUp(app);
    const verifications = vi.spyOn(SigningKeyService.prototype, 'find');
    onTestFinished(() => verifications.mockRestore());
    const use = async () => expect((await app.call('subscriptionStatus', { token })).status).toBe(200);
    await use();
    await use();
    await app.admin('subscription', 'set', email, '--plan', 'standard');
    await use();
    expect(verifications).toHaveBeenCalledTimes(1);
    await app.admin('key', 'rotate', '--purpose', 'access-token');
    await use();
    expect(verifications).toHaveBeenCalledTimes(2);
  });

  it('works after a restart of the server', async () => {
    const before = await startApp();
    const { token } = await signUp(before);
    await before.stop();
    const after = await startApp({}, before);
    expect((await after.call('subscriptionStatus', { token })).status).toBe(200);
    await after.stop();
    removeFolder(after.dataFolder);
  });

  it.each(malformedTokens)('is rejected as INVALID_TOKEN if it %s', async (_, change) => {
    const { status, body } = await server.call('subscriptionStatus', { token: change(user.token) });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is rejected as INVALID_TOKEN once the account has been deleted', async () => {
    const gone = await signUp(server);
    await server.admin('user', 'delete', gone.email);
    const { body } = await server.call('subscriptionStatus', { token: gone.token });
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('the Authorization header', () => {
  it.each(['bearer', 'BEARER', 'Bearer'])('may spell its scheme %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${user.token}` };
    expect((await server.call('subscriptionStatus', { headers })).status).toBe(200);
  });

  it.each([
    ['has the token alone', () => user.token],
    ['has another scheme', () => `Basic ${Buffer.from('a:b').toString('base64')}`],
    ['is empty', () => ''],
    ['has the scheme alone', () => 'Bearer'],
    ['has the scheme and a space', () => 'Bearer '],
    ['has no space', () => `Bearer${user.token}`],
    ['has two tokens', () => `Bearer ${user.token} ${user.token}`],
    ['has the token in quotes', () => `Bearer "${user.token}"`],
  ])('is rejected as INVALID_TOKEN if it %s', async (_, value) => {
    const { status, body } = await server.call('subscriptionStatus', { headers: { authorization: value() } });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is the only place for the token: the query is ignored', async () => {
    const path = `/api/v1/subscription/status?access_token=${user.token}`;
    expect((await server.request('GET', path)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('an expired access token', () => {
  const shortLived = sharedApp({ LATCHKEY_ACCESS_TOKEN_TTL: '1s' });

  it('gets TOKEN_EXPIRED, with WWW-Authenticate, on every endpoint that requires a token', async () => {
    const { token } = await signUp(shortLived);
    shortLived.clock.advance(2000);
    for (const name of bearerEndpoints) {
      const { status, headers, body } = await shortLived.call(name, { token, body: goodBody(name), at: 'x' });
      expect(status, name).toBe(401);
      expect(body, name).toStrictEqual(envelope('TOKEN_EXPIRED'));
      expect(headers.get('www-authenticate'), name).toMatch(/^Bearer\b/);
    }
  });

  it('gets INVALID_TOKEN rather than TOKEN_EXPIRED if its signature is wrong as well', async () => {
    const { token } = await signUp(shortLived);
    const { header, payload } = partsOf(token);
    const response = await shortLived.call('subscriptionStatus', { token: forge(header, { ...payload, exp: 1 }) });
    expect(response.body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

it('refuses a token that is valid for a second longer than the setting allows, as a stolen key could sign one', async () => {
  const key = await server.services.signingKeys.current();
  const claims = partsOf(user.token).payload;
  const codeWith = async (exp: number) =>
    (await server.call('subscriptionStatus', { token: signToken({ ...claims, exp }, key) })).body.code;
  expect(await codeWith(Number(claims.exp))).toBeUndefined();
  expect(await codeWith(Number(claims.exp) + 1)).toBe('INVALID_TOKEN');
});
