/** What `verifyUpdateManifest` accepts: a manifest signed by one of the publisher's keys, and nothing else. */
import { sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signManifest } from '../../electron/release/sign-manifest.ts';
import { parseUpdateManifest, type UpdateManifestClaims, verifyUpdateManifest } from '../../shared/update-manifest.ts';
import { newPublisherKey } from '../harness/releases.ts';

const [ours, theirs] = [newPublisherKey(), newPublisherKey()];
const jwks = { keys: [{ kty: 'RSA', kid: 'publisher-1', n: 'AQAB', e: 'AQAB' }, ours.publicJwk] };
const file = {
  name: 'App Ü.exe',
  platform: 'windows_x64',
  bytes: 7,
  sha256: 'ab'.repeat(32),
  sha512: `${'A'.repeat(86)}==`,
};
const claims: UpdateManifestClaims = {
  iss: 'latchkey-publisher',
  version: '1.0.0',
  released_at: 1_790_000_000,
  files: [file],
  previous: [{ version: '0.9.0', platform: 'windows_x64', sha256: 'cd'.repeat(32) }],
};
const manifest = signManifest(claims, ours);

const verify = (text: string, keys: unknown = jwks) =>
  verifyUpdateManifest(text, { jwks: keys, subtle: crypto.subtle });
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** Any payload, signed by our key. */
function signed(payload: object, header: object = { alg: 'EdDSA', typ: 'update+jwt', kid: 'publisher-1' }): string {
  const data = `${encode(header)}.${encode(payload)}`;
  return `${data}.${sign(null, Buffer.from(data), ours.key).toString('base64url')}`;
}

describe('verifyUpdateManifest', () => {
  it('returns the claims of a genuine manifest', async () => {
    expect(await verify(manifest)).toStrictEqual({ valid: true, claims });
    expect((await verify(signed(claims))).valid).toBe(true);
  });

  it.each([
    ['by another key of the same name', signManifest(claims, theirs), 'wrong_signature'],
    ['by a key that is not trusted', signManifest(claims, newPublisherKey('publisher-2')), 'unknown_key'],
  ])('rejects a manifest signed %s', async (_, text, problem) => {
    expect(await verify(text)).toStrictEqual({ valid: false, problem });
  });

  it.each([[{ keys: [] }], [null], ['x'], [{ keys: [null, { ...ours.publicJwk, x: undefined }] }]])(
    'trusts nothing with the keys %j',
    async (keys) => {
      expect(await verify(manifest, keys)).toStrictEqual({ valid: false, problem: 'unknown_key' });
    },
  );

  it('does not accept a lease, an access token or an unsigned text as a manifest', async () => {
    for (const header of [
      { alg: 'EdDSA', typ: 'lease+jwt', kid: 'publisher-1' },
      { alg: 'EdDSA', kid: 'publisher-1' },
      { alg: 'none', typ: 'update+jwt', kid: 'publisher-1' },
      { alg: 'HS256', typ: 'update+jwt', kid: 'publisher-1' },
    ]) {
      expect(await verify(signed(claims, header))).toStrictEqual({ valid: false, problem: 'malformed' });
    }
  });

  it.each([
    ['another issuer', { ...claims, iss: 'license-service' }],
    ['no files', { ...claims, files: [] }],
    ['a hash in upper case', { ...claims, files: [{ ...file, sha256: 'AB'.repeat(32) }] }],
    ['a short hash', { ...claims, files: [{ ...file, sha512: 'AA==' }] }],
    ['an empty file', { ...claims, files: [{ ...file, bytes: 0 }] }],
    ['no list of earlier files', { ...claims, previous: undefined }],
    ['a date as text', { ...claims, released_at: '2026-01-01' }],
  ])('rejects a manifest with %s', async (_, payload) => {
    expect(await verify(signed(payload))).toStrictEqual({ valid: false, problem: 'malformed' });
  });

  it('rejects a manifest with any single character changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(manifest.length - 1), fc.constantFrom('A', 'b', '0', '-', '.'), async (at, character) => {
        const changed = manifest.slice(0, at) + character + manifest.slice(at + 1);
        // The last character of a part contains unused bits.
        const isSame = JSON.stringify(parseUpdateManifest(changed)) === JSON.stringify(parseUpdateManifest(manifest));
        if (!isSame) expect((await verify(changed)).valid).toBe(false);
      }),
    );
  });

  it('never throws', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.anything(), async (text, keys) => {
        expect((await verify(text, keys)).valid).toBe(false);
      }),
    );
  });
});
