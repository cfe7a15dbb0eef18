/** Bearer authentication: which access tokens are accepted, and which error each other token gets. */
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';
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
const otherServer = sharedApp();
let user: User;

// A test may have moved the clock, so each one gets a new account.
beforeEach(async () => {
  user = await signUp(server);
});

const currentKey = () => server.services.signingKeys.current();

/** The claims of the user's token that name its session. */
function sessionClaims() {
  const { sid, password_changed_at_ms } = partsOf(user.token).payload;
  return { jti: 'x', sid, password_changed_at_ms };
}

/** The claims of a valid token, for the test to sign. */
function claims(): SignJWT {
  const nowSeconds = Math.floor(server.now() / 1000);
  return new SignJWT(sessionClaims())
    .setSubject(user.id)
    .setIssuer('license-service')
    .setAudience('license-api')
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + 60);
}

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

const badTokens: readonly (readonly [string, (token: string) => string])[] = [
  ['is empty', () => ''],
  ['is a word', () => 'rubbish'],
  ['has one dot', (token) => token.split('.').slice(0, 2).join('.')],
  ['has four parts', (token) => `${token}.more`],
  ['has three empty parts', () => '..'],
  ['has a shorter signature', (token) => token.slice(0, -1)],
  ['has no signature', (token) => `${token.split('.').slice(0, 2).join('.')}.`],
  ['has another signature', (token) => tokenOf({ ...partsOf(token), signature: 'A'.repeat(43) })],
  [
    'has other claims under the same signature',
    (token) => tokenOf({ ...partsOf(token), payload: { ...partsOf(token).payload, sub: 'x' } }),
  ],
  [
    'has a later end under the same signature',
    (token) => tokenOf({ ...partsOf(token), payload: { ...partsOf(token).payload, exp: 4_102_444_800 } }),
  ],
  [
    'says alg none',
    (token) => tokenOf({ ...partsOf(token), header: { ...partsOf(token).header, alg: 'none' }, signature: '' }),
  ],
  [
    'says alg None in another case',
    (token) => tokenOf({ ...partsOf(token), header: { ...partsOf(token).header, alg: 'nOnE' }, signature: '' }),
  ],
  ['is signed with another key', (token) => forge(partsOf(token).header, partsOf(token).payload)],
  [
    'is signed with an empty key',
    (token) => forge({ ...partsOf(token).header, alg: 'HS256' }, partsOf(token).payload, '\0'),
  ],
  [
    'names an unknown key',
    (token) => tokenOf({ ...partsOf(token), header: { ...partsOf(token).header, kid: 'unknown' } }),
  ],
  [
    'names its key by a path',
    (token) => tokenOf({ ...partsOf(token), header: { ...partsOf(token).header, kid: '../../dev/null' } }),
  ],
  ['names no key', (token) => tokenOf({ ...partsOf(token), header: { alg: partsOf(token).header.alg, typ: 'JWT' } })],
  [
    'brings its own key',
    (token) =>
      forge({ ...partsOf(token).header, alg: 'HS256', jwk: { kty: 'oct', k: 'YXR0YWNrZXI' } }, partsOf(token).payload),
  ],
  ['has a header that is no JSON', (token) => `e30x.${token.split('.').slice(1).join('.')}`],
  ['has a payload that is no object', (token) => `${token.split('.')[0]}.${encode('text')}.${token.split('.')[2]}`],
  ['is a refresh token', () => user.refreshToken],
  ['has eight thousand characters', () => 'x'.repeat(8_000)],
];

describe.each(bearerEndpoints)('%s', (name) => {
  it('requires a token', async () => {
    const { status, headers, body } = await server.call(name, { body: goodBody(name), at: 'x' });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });

  it('rejects a token that was tampered with', async () => {
    const token = forge(partsOf(user.token).header, partsOf(user.token).payload);
    const { status, body } = await server.call(name, { token, body: goodBody(name), at: 'x' });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
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

  it('is rejected as INVALID_TOKEN with another algorithm or key, whatever key it names', async () => {
    const { kid } = await currentKey();
    for (const header of [
      { alg: 'HS256', kid },
      { alg: 'HS512', kid },
      { alg: 'HS256', kid: 'unknown' },
      { alg: 'HS256' },
      { alg: 'HS256', kid: { $ne: '' } as unknown as string },
      { alg: 'HS256', kid: 7 as unknown as string },
    ]) {
      const forged = await claims().setProtectedHeader(header).sign(new Uint8Array(64).fill(7));
      const { body } = await server.call('subscriptionStatus', { token: forged });
      expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
    }
  });

  it('is rejected as INVALID_TOKEN with another audience or issuer or no expiry, even if the server signed it', async () => {
    const { kid, key } = await currentKey();
    const statusWith = async (token: SignJWT) =>
      (
        await server.call('subscriptionStatus', {
          token: await token.setProtectedHeader({ alg: 'HS256', kid }).sign(key),
        })
      ).status;
    expect(await statusWith(claims())).toBe(200);
    const endless = new SignJWT(sessionClaims())
      .setSubject(user.id)
      .setIssuer('license-service')
      .setAudience('license-api');
    for (const token of [claims().setAudience('elsewhere'), claims().setIssuer('elsewhere'), endless]) {
      expect(await statusWith(token)).toBe(401);
    }
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

  it.each(badTokens)('is rejected as INVALID_TOKEN if it %s', async (_, change) => {
    const { status, body } = await server.call('subscriptionStatus', { token: change(user.token) });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is rejected as INVALID_TOKEN by another server', async () => {
    const { body } = await otherServer.call('subscriptionStatus', { token: user.token });
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

it('refuses a token that is valid for longer than the setting allows, as a stolen key could sign one', async () => {
  const key = await currentKey();
  const claims = JSON.parse(Buffer.from(user.token.split('.')[1] ?? '', 'base64url').toString()) as {
    exp: number;
    iat: number;
  };
  const statusWith = async (changed: object) =>
    (await server.call('subscriptionStatus', { token: signToken({ ...claims, ...changed }, key) })).body.code;
  expect(await statusWith({})).toBeUndefined();
  expect(await statusWith({ exp: claims.exp + 1 })).toBe('INVALID_TOKEN');
  expect(await statusWith({ exp: claims.exp + 31_536_000 })).toBe('INVALID_TOKEN');
  // Tokens from the future are refused too: they would outlive the setting as well.
  expect(await statusWith({ iat: claims.iat + 86_400, exp: claims.exp + 86_400 })).toBe('INVALID_TOKEN');
});
