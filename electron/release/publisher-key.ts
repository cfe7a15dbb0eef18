/** The key with which the publisher signs releases: a file on the publisher's machine, never on a server. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { PublicJwk } from '../../shared/jws.ts';
import { ReleaseError } from './release-error.ts';

export type PublisherKey = { readonly key: KeyObject; readonly publicJwk: PublicJwk };

const privateJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  d: z.string(),
  kid: z.string().min(1).optional(),
});

const accessOfOthers = 0o077;

/** Creates a key and writes it to a new file that only its owner can read. Throws `ReleaseError`. */
export function createPublisherKey(path: string): PublisherKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const publicJwk = toPublicJwk(privateKey);
  const { d } = privateKey.export({ format: 'jwk' });
  try {
    writeFileSync(path, `${JSON.stringify({ ...publicJwk, d })}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (isExisting(error)) throw new ReleaseError('FILE_EXISTS', `${path} exists already: a key is never overwritten.`);
    throw new ReleaseError('FILE_UNREADABLE', `${path} cannot be written: ${messageOf(error)}.`);
  }
  return { key: privateKey, publicJwk };
}

/** Throws `ReleaseError` if others can read the file, or if it does not contain a private Ed25519 key as a JWK. */
export function readPublisherKey(path: string): PublisherKey {
  const parsed = privateJwk.safeParse(readJson(path));
  if (!parsed.success) {
    throw new ReleaseError(
      'KEY_UNUSABLE',
      `${path} is not a private Ed25519 key as a JWK with "kty", "crv", "x" and "d".`,
    );
  }
  const { kty, crv, x, d, kid } = parsed.data;
  try {
    const key = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
    const publicJwk = toPublicJwk(key, kid);
    if (publicJwk.x === x) return { key, publicJwk };
  } catch {
    // Reported below.
  }
  throw new ReleaseError('KEY_UNUSABLE', `${path} is damaged: "x" and "d" are not the two halves of one key.`);
}

function readJson(path: string): unknown {
  try {
    // Windows has no file modes.
    const mode = process.platform === 'win32' ? 0 : statSync(path).mode & accessOfOthers;
    if (mode !== 0) {
      throw new ReleaseError('KEY_UNUSABLE', `Other users can read or change ${path}: run "chmod 600" on it.`);
    }
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof ReleaseError) throw error;
    // The message of a syntax error quotes the file.
    const reason = error instanceof SyntaxError ? 'it is not JSON' : messageOf(error);
    throw new ReleaseError('KEY_UNUSABLE', `The key ${path} cannot be read: ${reason}.`);
  }
}

/** `kid` defaults to the key's thumbprint (RFC 7638). */
function toPublicJwk(key: KeyObject, kid?: string): PublicJwk {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }));
  return { kty: 'OKP', crv: 'Ed25519', x, kid: kid ?? thumbprint.digest('base64url'), alg: 'EdDSA', use: 'sig' };
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
