/** Access tokens on a Bearer endpoint: what is accepted, and what is refused as what. */
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SigningKeyService } from '../../../server/auth/signing-key.service.ts';
import { systemRandom } from '../../../server/random.ts';
import { hour } from '../../harness/fake-clock.ts';
import { type SignedUp, startTestApp, type TestApp } from '../../harness/start-app.ts';

let service: TestApp;
let person: SignedUp;
beforeEach(async () => {
  service = await startTestApp();
  person = await service.signUp();
});
afterEach(() => service.close());

const status = (headers: Record<string, string>) => service.call('GET', '/subscription/status', { headers });
const withToken = (token: string) => status({ authorization: `Bearer ${token}` });

const claims = () => {
  const nowSeconds = Math.floor(service.clock.now() / 1000);
  return new SignJWT({ jti: 'x' })
    .setSubject(person.id)
    .setIssuer('license-service')
    .setAudience('license-api')
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + 60);
};
const currentKey = () => new SigningKeyService({ ...service, random: systemRandom }).current();

describe('a Bearer endpoint', () => {
  it('lets a token in until the moment it expires', async () => {
    expect((await withToken(person.accessToken)).status).toBe(200);
    service.clock.setNow(Math.floor(service.clock.now() / 1000) * 1000 + hour - 1);
    expect((await withToken(person.accessToken)).status).toBe(200);
    service.clock.advance(1);
    const answer = await withToken(person.accessToken);
    expect(answer).toMatchObject({ status: 401, body: { code: 'TOKEN_EXPIRED' } });
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="account", error="invalid_token"');
  });

  it('says in the answer exactly when the token expires', async () => {
    const { body } = await service.call('POST', '/auth/login', { body: person });
    const payload = JSON.parse(Buffer.from(String(body.access_token).split('.')[1] ?? '', 'base64url').toString());
    expect(new Date(payload.exp * 1000).toISOString()).toBe(body.expires_at);
    expect(Object.keys(payload).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub']);
  });

  it('takes the scheme in any case', async () => {
    expect((await status({ authorization: `bearer ${person.accessToken}` })).status).toBe(200);
  });

  it.each([
    ['no header', {}],
    ['an empty one', { authorization: '' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['no token', { authorization: 'Bearer ' }],
    ['rubbish', { authorization: 'Bearer rubbish' }],
    ['three empty parts', { authorization: 'Bearer ..' }],
    ['two tokens', { authorization: 'Bearer a b' }],
    ['a long one', { authorization: `Bearer ${'a'.repeat(8000)}` }],
  ])('refuses %s as INVALID_TOKEN', async (_what, headers) => {
    expect(await status(headers as Record<string, string>)).toMatchObject({
      status: 401,
      body: { code: 'INVALID_TOKEN' },
    });
  });

  it('refuses a changed token', async () => {
    const [head, , signature] = person.accessToken.split('.');
    const payload = Buffer.from(JSON.stringify({ sub: person.id, exp: 9e9 })).toString('base64url');
    expect((await withToken(`${head}.${payload}.${signature}`)).body.code).toBe('INVALID_TOKEN');
    expect((await withToken(person.accessToken.slice(0, -1))).body.code).toBe('INVALID_TOKEN');
  });

  it('refuses every other algorithm, none included, and every other key', async () => {
    const { kid } = await currentKey();
    const head = Buffer.from(JSON.stringify({ alg: 'none', kid })).toString('base64url');
    const body = person.accessToken.split('.')[1];
    expect((await withToken(`${head}.${body}.`)).body.code).toBe('INVALID_TOKEN');
    for (const protectedHeader of [
      { alg: 'HS256', kid },
      { alg: 'HS512', kid },
      { alg: 'HS256', kid: 'unknown' },
      { alg: 'HS256' },
      { alg: 'HS256', kid: { $ne: '' } as unknown as string },
      { alg: 'HS256', kid: 7 as unknown as string },
    ]) {
      const forged = await claims().setProtectedHeader(protectedHeader).sign(new Uint8Array(64).fill(7));
      expect((await withToken(forged)).body.code).toBe('INVALID_TOKEN');
    }
  });

  it('refuses a token for another audience, issuer, or without expiry', async () => {
    const { kid, key } = await currentKey();
    const sign = (token: SignJWT) => token.setProtectedHeader({ alg: 'HS256', kid }).sign(key);
    expect((await withToken(await sign(claims()))).status).toBe(200);
    const refused = [
      claims().setAudience('elsewhere'),
      claims().setIssuer('elsewhere'),
      new SignJWT({ jti: 'x' }).setSubject(person.id).setIssuer('license-service').setAudience('license-api'),
    ];
    for (const token of refused) expect((await withToken(await sign(token))).body.code).toBe('INVALID_TOKEN');
  });

  it('refuses the token of an account that was deleted', async () => {
    await service.database.write((transaction) => transaction.deleteFrom('users').execute());
    expect(await withToken(person.accessToken)).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } });
  });

  it('keeps its tokens over a restart', async () => {
    await service.app.close();
    await service.database.close();
    const { clock, folder } = service;
    service = await startTestApp({}, { clock, folder });
    expect((await withToken(person.accessToken)).status).toBe(200);
  });
});
