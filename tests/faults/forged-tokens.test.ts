/**
 * Row 13 of the matrix: access tokens, refresh tokens, staff cookies and leases, forged in every known way. Transport:
 * inject.
 */
import { createHmac, createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SigningKey } from '../../server/keys/signing-key.ts';
import { readLease } from '../../shared/lease.ts';
import { envelope } from '../harness/response-shapes.ts';
import { fromPage, newStaff } from '../harness/staff.ts';
import { sharedApp } from '../harness/start-app.ts';
import { stringIn } from '../harness/test-client.ts';
import { activate, issueLicense, newDeviceId, subscriber, type User } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout, runsOf } from './matrix-run.ts';

const row = 13;
const server = sharedApp();
const other = sharedApp();

let user: User;
let lease: string;
let deviceId: string;
let cookie: string;
let jwks: { readonly keys: readonly { readonly kid: string; readonly x: string }[] };
let serverKey: SigningKey;
let otherUser: User;
let otherLease: string;
const own = generateKeyPairSync('ed25519');

async function leaseOf(on: typeof server, owner: User) {
  const { key } = await issueLicense(on, '--email', owner.email);
  const device = await activate(on, owner, key);
  const { body } = await on.call('lease', { token: owner.token, body: { device_id: device.deviceId } });
  return { lease: stringIn(body, 'lease'), deviceId: device.deviceId };
}

beforeAll(async () => {
  user = await subscriber(server);
  otherUser = await subscriber(other);
  ({ lease, deviceId } = await leaseOf(server, user));
  otherLease = (await leaseOf(other, otherUser)).lease;
  cookie = (await newStaff(server, 'owner')).browser.cookie;
  jwks = (await server.request('GET', '/.well-known/jwks.json')).body as typeof jwks;
  serverKey = await server.services.signingKeys.current();
});

type Part = Readonly<Record<string, unknown>>;

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
const decode = (token: string, at: 0 | 1) =>
  JSON.parse(Buffer.from(token.split('.')[at] ?? '', 'base64url').toString()) as Part;
const signatureOf = (token: string) => token.split('.')[2] ?? '';

function hmac(header: unknown, claims: unknown, secret: string | Buffer | KeyObject, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

function edDsa(header: unknown, claims: unknown): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), own.privateKey).toString('base64url')}`;
}

const ownJwk = () => ({ ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'EdDSA', use: 'sig' });

/** Returns the public key as text, as used for an HMAC secret in an algorithm confusion attack. */
function publicKeyText(format: 'pem' | 'x'): string {
  const [jwk] = jwks.keys;
  if (!jwk) throw new Error('no key is published');
  if (format === 'x') return jwk.x;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk.x }, format: 'jwk' });
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

type Ways = readonly (readonly [string, () => string])[];

/** Returns the token with another header or claims under the original signature. */
const changed = (token: string, header: Part, claims: Part = {}, signature = signatureOf(token)) =>
  `${encode({ ...decode(token, 0), ...header })}.${encode({ ...decode(token, 1), ...claims })}.${signature}`;

const signedByServer = (claims: Part, header: Part = {}) =>
  hmac({ ...decode(user.token, 0), ...header }, { ...decode(user.token, 1), ...claims }, serverKey.key);

const nowSeconds = () => Math.floor(server.now() / 1000);

const expired = () => signedByServer({ iat: nowSeconds() - 7200, exp: nowSeconds() - 1 });

const accessTokens: Ways = [
  ...['none', 'None', 'NONE', 'nOnE', '', ' HS256', 'HS256\u0000'].map(
    (alg) => [`alg ${JSON.stringify(alg)} without a signature`, () => changed(user.token, { alg }, {}, '')] as const,
  ),
  ...['HS384', 'HS512', 'RS256', 'ES256', 'EdDSA', 'PS256', 'A128KW', 'dir'].map(
    (alg) => [`alg ${alg} under the good signature`, () => changed(user.token, { alg })] as const,
  ),
  [
    'HS512 with the key of the server',
    () => hmac({ ...decode(user.token, 0), alg: 'HS512' }, decode(user.token, 1), serverKey.key, 'sha512'),
  ],
  ['a null alg', () => changed(user.token, { alg: null })],
  ['a list as alg', () => changed(user.token, { alg: ['HS256'] })],
  [
    'signed with the PEM of the public key',
    () => hmac(decode(user.token, 0), decode(user.token, 1), publicKeyText('pem')),
  ],
  [
    'signed with the public key, naming it',
    () => hmac({ alg: 'HS256', kid: jwks.keys[0]?.kid }, decode(user.token, 1), publicKeyText('x')),
  ],
  ['signed with nothing', () => hmac(decode(user.token, 0), decode(user.token, 1), createSecretKey(Buffer.alloc(0)))],
  ['signed with zeros', () => hmac(decode(user.token, 0), decode(user.token, 1), Buffer.alloc(32))],
  ['signed with the id of the key', () => hmac(decode(user.token, 0), decode(user.token, 1), serverKey.kid)],
  ['that brings its own key as jwk', () => edDsa({ alg: 'EdDSA', typ: 'JWT', jwk: ownJwk() }, decode(user.token, 1))],
  [
    'that names its own key by jku',
    () => edDsa({ alg: 'EdDSA', jku: 'https://evil.example/jwks.json', kid: 'own' }, decode(user.token, 1)),
  ],
  [
    'that names its own key by x5u',
    () => edDsa({ alg: 'EdDSA', x5u: 'https://evil.example/cert', kid: 'own' }, decode(user.token, 1)),
  ],
  ...[
    '../../../dev/null',
    '/dev/null',
    "x' union select 'a",
    '',
    '__proto__',
    'constructor',
    '\u0000',
    'x'.repeat(5000),
  ].map(
    (kid) =>
      [
        `kid ${JSON.stringify(kid.slice(0, 20))}`,
        () => hmac({ alg: 'HS256', kid }, decode(user.token, 1), ''),
      ] as const,
  ),
  ['an object as kid', () => changed(user.token, { kid: { $ne: null } })],
  ['a critical extension', () => signedByServer({}, { crit: ['exp'], exp: 1 })],
  ['unencoded content', () => signedByServer({}, { b64: false, crit: ['b64'] })],
  ['another account under the good signature', () => changed(user.token, {}, { sub: otherUser.id })],
  ['another session under the good signature', () => changed(user.token, {}, { sid: 'x' })],
  ['a later end under the good signature', () => changed(user.token, {}, { exp: 4_102_444_800 })],
  ['a lifetime of years, with the key of the server', () => signedByServer({ exp: nowSeconds() + 31_536_000 })],
  [
    'issued in the future, with the key of the server',
    () => signedByServer({ iat: nowSeconds() + 86_400, exp: nowSeconds() + 90_000 }),
  ],
  ['no end', () => signedByServer({ exp: undefined })],
  ['an end that is a text', () => signedByServer({ exp: '4102444800' })],
  ['an endless end', () => signedByServer({ exp: Number.MAX_VALUE })],
  ['expired', expired],
  ['another audience', () => signedByServer({ aud: 'billing-checkout' })],
  ['several audiences', () => signedByServer({ aud: ['license-api', 'license-lease'] })],
  ['another issuer', () => signedByServer({ iss: 'somebody' })],
  ['no session', () => signedByServer({ sid: undefined })],
  ['an unknown session', () => signedByServer({ sid: '0'.repeat(36) })],
  ['an unknown account', () => signedByServer({ sub: '00000000-0000-7000-8000-000000000000' })],
  ['the session of another', () => signedByServer({ sub: otherUser.id })],
  ['from before the password was changed', () => signedByServer({ password_changed_at_ms: -1 })],
  ['a lease', () => lease],
  ['a refresh token', () => user.refreshToken],
  ['a token of another server', () => otherUser.token],
  ['padded with =', () => `${user.token}=`],
  ['encoded as base64, not base64url', () => user.token.replaceAll('_', '/').replaceAll('-', '+').concat('=')],
  ['two signatures', () => `${user.token}.${signatureOf(user.token)}`],
  ['the JSON form', () => JSON.stringify({ payload: user.token.split('.')[1], signature: signatureOf(user.token) })],
  ['encrypted, with five parts', () => `${encode({ alg: 'dir', enc: 'A128GCM' })}....`],
];

const leases: Ways = [
  ...['none', 'HS256', 'ES256', 'Ed25519', 'EdDSA '].map(
    (alg) => [`alg ${JSON.stringify(alg)}`, () => changed(lease, { alg })] as const,
  ),
  ['no signature', () => changed(lease, { alg: 'none' }, {}, '')],
  ['signed by somebody with the id of the key', () => edDsa(decode(lease, 0), decode(lease, 1))],
  ['that brings its own key', () => edDsa({ ...decode(lease, 0), jwk: ownJwk() }, decode(lease, 1))],
  ['that names an unknown key', () => edDsa({ ...decode(lease, 0), kid: 'own' }, decode(lease, 1))],
  [
    'an HMAC with the public key',
    () => hmac({ ...decode(lease, 0), alg: 'HS256' }, decode(lease, 1), publicKeyText('x')),
  ],
  ['another typ', () => changed(lease, { typ: 'JWT' })],
  ['a critical extension', () => changed(lease, { crit: ['x'], x: 1 })],
  ['a later end', () => changed(lease, {}, { exp: 4_102_444_800 })],
  ['more features', () => changed(lease, {}, { features: {} })],
  ['another plan', () => changed(lease, {}, { plan: 'advanced' })],
  ['another device', () => changed(lease, {}, { device_id: newDeviceId() })],
  ['a signature of zeros', () => changed(lease, {}, {}, 'A'.repeat(86))],
  ['a signature cut short', () => lease.slice(0, -2)],
  ['a lease of another server', () => otherLease],
  ['an access token', () => user.token],
];

const refreshTokens: Ways = [
  ['nothing', () => ''],
  ['the prefix alone', () => 'v1.'],
  ['zeros', () => `v1.${'A'.repeat(43)}`],
  ['another version', () => user.refreshToken.replace('v1.', 'v2.')],
  ['no version', () => user.refreshToken.slice(3)],
  ['in upper case', () => user.refreshToken.toUpperCase()],
  ['longer', () => `${user.refreshToken}A`],
  ['an access token', () => user.token],
  ['of another server', () => otherUser.refreshToken],
];

const cookies: Ways = [
  ['nothing', () => 'latchkey_staff='],
  ['an access token', () => `latchkey_staff=${user.token}`],
  ['a refresh token', () => `latchkey_staff=${user.refreshToken}`],
  ['under the name of the account page', () => cookie.replace('latchkey_staff', 'latchkey_account')],
  ['quoted twice', () => cookie.replace('=', '=""')],
  ['longer', () => `${cookie}A`],
  ['shorter', () => cookie.slice(0, -1)],
];

/** Returns true if the server, or a device in the case of a lease, accepts the credential. */
const takes = {
  'access token': async (token: string) => {
    const { status, body } = await server.call('subscriptionStatus', { token });
    if (status !== 200) expect(body).toStrictEqual(envelope(token === expired() ? 'TOKEN_EXPIRED' : 'INVALID_TOKEN'));
    return status === 200;
  },
  lease: async (token: string) => (await readLease(token, { jwks, deviceId, subtle: crypto.subtle })).valid,
  'refresh token': async (token: string) =>
    (await server.call('refresh', { body: { refresh_token: token } })).status === 200,
  cookie: async (value: string) =>
    (await server.call('staffSession', { headers: { ...fromPage, cookie: value } })).status === 200,
};

describe.each([
  ['access token', accessTokens],
  ['lease', leases],
  ['refresh token', refreshTokens],
  ['cookie', cookies],
] as const)('a forged %s', (kind, ways) => {
  it.each(ways)('is refused: %s', async (_, forge) => {
    expect(await takes[kind](forge())).toBe(false);
  });
});

it('genuine tokens are accepted', async () => {
  expect(await takes['access token'](user.token)).toBe(true);
  expect(await takes['access token'](signedByServer({}))).toBe(true);
  expect(await takes.lease(lease)).toBe(true);
  expect(await takes.cookie(cookie)).toBe(true);
  const forged = accessTokens.length + leases.length + refreshTokens.length + cookies.length;
  expect(forged).toBeGreaterThanOrEqual(60);
  reportFigures(row, { amount: `${forged} forged and ${amount(row)} changed`, figures: { 'named ways': forged } });
});

it('no token with a changed, added or removed character is accepted', { timeout: rowTimeout() }, async () => {
  const good = { 'access token': user.token, lease, cookie };
  const kinds = ['access token', 'access token', 'lease', 'cookie'] as const;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/';
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...kinds),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      fc.constantFrom(...alphabet),
      fc.constantFrom('change', 'add', 'remove', 'swap'),
      async (kind, where, character, act) => {
        const token = good[kind];
        const from = kind === 'cookie' ? token.indexOf('=') + 1 : 0;
        const at = from + Math.floor(where * (token.length - from));
        const [before, here, after] = [token.slice(0, at), token.slice(at, at + 1), token.slice(at + 1)];
        const forged = {
          change: before + character + after,
          add: before + character + here + after,
          remove: before + after,
          swap: before + after.slice(0, 1) + here + after.slice(1),
        }[act];
        if (forged !== token) expect(await takes[kind](forged), forged).toBe(false);
      },
    ),
    runsOf(row),
  );
});
