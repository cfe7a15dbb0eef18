/** Bearer authentication: which tokens open an endpoint, and how each other one is refused. */
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type EndpointName, endpoints } from '../../shared/api/endpoints.ts';
import { sendRawToRoute } from '../harness/raw-request.ts';
import { envelope } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { newDeviceId, type Person, signUp } from '../harness/users.ts';

const service = startedService();
const otherService = startedService();
let person: Person;

beforeAll(async () => {
  person = await signUp(service);
});

const bearerEndpoints = (Object.keys(endpoints) as EndpointName[]).filter((name) => endpoints[name].auth === 'bearer');

/** A body that would be good on any of the endpoints. */
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

/** Signed with a key of the attacker's own. */
function forge(header: unknown, payload: unknown, secret = 'attacker'): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const refusedTokens: readonly (readonly [string, (token: string) => string])[] = [
  ['is empty', () => ''],
  ['is a word', () => 'rubbish'],
  ['has one dot', (token) => token.split('.').slice(0, 2).join('.')],
  ['has four parts', (token) => `${token}.more`],
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
  ['is a refresh token', () => person.refreshToken],
  ['has four thousand characters', () => 'x'.repeat(4_000)],
];

describe.each(bearerEndpoints)('%s', (name) => {
  it('asks for a token', async () => {
    const { status, headers, body } = await service.call(name, { body: goodBody(name), at: 'x' });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
    expect(headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  });

  it('refuses a token that was tampered with', async () => {
    const token = forge(partsOf(person.token).header, partsOf(person.token).payload);
    const { status, body } = await service.call(name, { token, body: goodBody(name), at: 'x' });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('takes no API key in place of a token', async () => {
    const headers = { 'x-api-key': `svc_live_${'A'.repeat(26)}` };
    const { body } = await service.call(name, { headers, body: goodBody(name), at: 'x' });
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('an access token', () => {
  it('is a JWT that names its key, issuer, audience, account and end', async () => {
    const { header, payload } = partsOf(person.token);
    expect(header).toMatchObject({ alg: expect.stringMatching(/^(?!none)/i), kid: expect.stringMatching(/./) });
    expect(payload).toMatchObject({ iss: expect.any(String), aud: expect.anything(), sub: person.id });
    expect(payload.exp).toSatisfy(Number.isInteger);
  });

  it('ends when expires_at says', async () => {
    const { body } = await service.call('login', { body: { email: person.email, password: person.password } });
    const { exp } = partsOf(String(body.access_token)).payload;
    expect(Math.abs(Number(exp) * 1000 - Date.parse(String(body.expires_at)))).toBeLessThan(1000);
  });

  it('holds nothing private', () => {
    const { payload } = partsOf(person.token);
    expect(JSON.stringify(payload)).not.toContain(person.email);
  });

  it.each(refusedTokens)('is INVALID_TOKEN where it %s', async (_, change) => {
    const { status, body } = await service.call('subscriptionStatus', { token: change(person.token) });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is INVALID_TOKEN on another server', async () => {
    const { body } = await otherService.call('subscriptionStatus', { token: person.token });
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is INVALID_TOKEN once the account has been deleted', async () => {
    const gone = await signUp(service);
    await service.admin('user', 'delete', gone.email);
    const { body } = await service.call('subscriptionStatus', { token: gone.token });
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});

describe('the Authorization header', () => {
  it.each(['bearer', 'BEARER', 'Bearer'])('may spell its scheme %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${person.token}` };
    expect((await service.call('subscriptionStatus', { headers })).status).toBe(200);
  });

  it.each([
    ['has the token alone', () => person.token],
    ['has another scheme', () => `Basic ${Buffer.from('a:b').toString('base64')}`],
    ['has the scheme alone', () => 'Bearer'],
    ['has no space', () => `Bearer${person.token}`],
    ['has two tokens', () => `Bearer ${person.token} ${person.token}`],
    ['has the token in quotes', () => `Bearer "${person.token}"`],
  ])('is INVALID_TOKEN where it %s', async (_, value) => {
    const { status, body } = await service.call('subscriptionStatus', { headers: { authorization: value() } });
    expect(status).toBe(401);
    expect(body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is the only place for the token: the query is not read', async () => {
    const path = `/api/v1/subscription/status?access_token=${person.token}`;
    expect((await service.request('GET', path)).body).toStrictEqual(envelope('INVALID_TOKEN'));
  });

  it('is not believed where it holds bytes that no token has', async () => {
    const request = `GET /api/v1/subscription/status HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer caf\u00e9\r\nConnection: close\r\n\r\n`;
    const { status } = await sendRawToRoute(service.url, '/api/v1/subscription/status', Buffer.from(request, 'latin1'));
    expect(status).toBe(401);
  });
});

describe('an access token past its lifetime', () => {
  const shortLived = startedService({ LATCHKEY_ACCESS_TOKEN_TTL: '1s' });

  it('is TOKEN_EXPIRED, with WWW-Authenticate, on every endpoint that asks for one', async () => {
    const { token } = await signUp(shortLived);
    await expect
      .poll(async () => (await shortLived.call('subscriptionStatus', { token })).status, { timeout: 10_000 })
      .toBe(401);
    for (const name of bearerEndpoints) {
      const { status, headers, body } = await shortLived.call(name, { token, body: goodBody(name), at: 'x' });
      expect(status, name).toBe(401);
      expect(body, name).toStrictEqual(envelope('TOKEN_EXPIRED'));
      expect(headers.get('www-authenticate'), name).toMatch(/^Bearer\b/);
    }
  });

  it('is INVALID_TOKEN, not expired, where its signature is wrong as well', async () => {
    const { token } = await signUp(shortLived);
    const { header, payload } = partsOf(token);
    const answer = await shortLived.call('subscriptionStatus', { token: forge(header, { ...payload, exp: 1 }) });
    expect(answer.body).toStrictEqual(envelope('INVALID_TOKEN'));
  });
});
