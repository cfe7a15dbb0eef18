/** What `verifyLease` accepts: a lease with a known key, for this device and time, and nothing else. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LeaseClaims, verifyLease } from '../../shared/lease.ts';
import { noFeatures } from '../../shared/seeded-features.ts';

const [ours, theirs] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const kid = 'key-1';
const deviceId = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';
const jwk = { ...ours.publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' };
const jwks = { keys: [{ kty: 'RSA', kid: 'key-0', n: 'AQAB', e: 'AQAB' }, jwk] };
const header = { alg: 'EdDSA', typ: 'lease+jwt', kid };
const iat = 1_790_000_000;
const claims: LeaseClaims = {
  iss: 'license-service',
  aud: 'license-lease',
  sub: 'b7e1f0f4-0000-7000-8000-000000000000',
  jti: 'b7e1f0f4-0000-7000-8000-000000000001',
  iat,
  renew_after: iat + 500,
  exp: iat + 1000,
  device_id: deviceId,
  license: 'SVC-AB12...WXYZ',
  plan: 'für alle',
  features: noFeatures,
};

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function makeLease(payload: object, { head = header, key = ours.privateKey }: { head?: object; key?: KeyObject } = {}) {
  const signed = `${encode(head)}.${encode(payload)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

const verify = (lease: string, change: { jwks?: unknown; deviceId?: string; nowMs?: number } = {}) =>
  verifyLease(lease, { jwks, deviceId, nowMs: iat * 1000, subtle: crypto.subtle, ...change });

const lease = makeLease(claims);

describe('verifyLease', () => {
  it('returns the claims of a genuine lease until it expires', async () => {
    expect(await verify(lease)).toStrictEqual({ valid: true, kid, claims });
    expect((await verify(lease, { nowMs: (iat + 1000) * 1000 - 1 })).valid).toBe(true);
    expect(await verify(lease, { nowMs: (iat + 1000) * 1000 })).toStrictEqual({ valid: false, problem: 'expired' });
  });

  it('tolerates a clock that is behind by an hour', async () => {
    expect((await verify(lease, { nowMs: (iat - 3600) * 1000 })).valid).toBe(true);
    expect(await verify(lease, { nowMs: (iat - 3601) * 1000 })).toStrictEqual({
      valid: false,
      problem: 'not_yet_valid',
    });
  });

  it.each([
    ['nothing', undefined],
    ['NaN', Number.NaN],
    ['a text', '1772528400000'],
  ])('rejects %s as the time, since no lease would ever expire then', async (_, nowMs) => {
    await expect(verify(lease, { nowMs: nowMs as number })).rejects.toThrow(TypeError);
  });

  it.each([
    ['other_device', lease, { deviceId: 'HW-FFFFFFFF-89ABCDEF-01234567-89ABCDEF' }],
    ['unknown_key', lease, { jwks: { keys: [] } }],
    ['unknown_key', lease, { jwks: undefined }],
    ['unknown_key', lease, { jwks: { keys: [{ ...jwk, kid: 'key-2' }] } }],
    ['wrong_signature', lease, { jwks: { keys: [{ ...jwk, x: 'AAAA' }] } }],
    ['wrong_signature', makeLease(claims, { key: theirs.privateKey }), {}],
    ['wrong_signature', lease.replace(/\.[\w-]+$/, '.'), {}],
    ['malformed', makeLease(claims, { head: { ...header, alg: 'none' } }), {}],
    ['malformed', makeLease(claims, { head: { ...header, typ: 'JWT' } }), {}],
    ['malformed', makeLease(claims, { head: { ...header, crit: ['x-bound-to'], 'x-bound-to': 'site' } }), {}],
    ['malformed', makeLease(claims, { head: { ...header, crit: [] } }), {}],
    ['malformed', makeLease(claims, { head: { ...header, b64: false } }), {}],
    ['malformed', makeLease({ ...claims, aud: 'license-api' }), {}],
    ['malformed', makeLease({ ...claims, exp: '2099-01-01' }), {}],
    ['malformed', makeLease({ ...claims, exp: 253_402_300_800 }), {}],
    ['malformed', makeLease({ ...claims, iat: Number.MAX_SAFE_INTEGER }), {}],
    ['malformed', makeLease({ ...claims, updates_until: Number.MAX_SAFE_INTEGER }), {}],
    ['malformed', `${lease}.`, {}],
    ['malformed', '', {}],
  ])('reports %s', async (problem, text, change) => {
    expect(await verify(text, change)).toStrictEqual({ valid: false, problem });
  });

  it('rejects a lease with any character changed, and never throws on a text', async () => {
    const changed = fc.tuple(fc.nat(lease.length - 1), fc.constantFrom(...'AZaz09-_.=é'));
    await fc.assert(
      fc.asyncProperty(changed, async ([at, character]) => {
        const text = lease.slice(0, at) + character + lease.slice(at + 1);
        // The last character of a signature contains unused bits.
        fc.pre(text !== lease && at < lease.length - 1);
        expect((await verify(text)).valid).toBe(false);
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.anything(), async (text, keys) => {
        expect((await verify(text, { jwks: keys })).valid).toBe(false);
      }),
    );
  });
});
