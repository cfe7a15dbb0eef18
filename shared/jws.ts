/** Parses and verifies signed JSON in compact form (RFC 7515) with Ed25519 (RFC 8037), using only Web Crypto. */
import { z } from 'zod';

/** A published public key (RFC 8037 §2). */
export const publicJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  kid: z.string(),
  alg: z.literal('EdDSA'),
  use: z.literal('sig'),
});
export type PublicJwk = z.infer<typeof publicJwk>;

/** True if it has the length of an Ed25519 key. */
export function hasKeyLength({ x }: PublicJwk): boolean {
  return /^[\w-]{43}$/.test(x);
}

/** A JWK Set (RFC 7517 §5). Keys of other kinds are ignored. */
export const publicKeys = z.object({ keys: z.array(z.unknown()) });

/** The two functions of `crypto.subtle` needed to verify a signature. */
export type SignatureVerifier<Key> = {
  importKey(
    format: 'jwk',
    key: { kty: string; crv: string; x: string },
    algorithm: 'Ed25519',
    extractable: boolean,
    usages: ['verify'],
  ): Promise<Key>;
  verify(
    algorithm: 'Ed25519',
    key: Key,
    signature: Uint8Array<ArrayBuffer>,
    data: Uint8Array<ArrayBuffer>,
  ): Promise<boolean>;
};

/** An unverified JWS: the claims, and the id of the signing key. */
type ParsedJws<Claims> = {
  readonly kid: string;
  readonly claims: Claims;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The signed bytes. */
  readonly signed: Uint8Array<ArrayBuffer>;
};

/**
 * Parses a JWS without verifying it. `undefined` unless it has exactly this `typ` (RFC 8725 §3.11) and claims of this
 * shape, or if it requires an extension: none is supported (RFC 7515 §4.1.11, RFC 7797 §6). Never throws.
 */
export function parseJws<Claims>(jws: string, typ: string, schema: z.ZodType<Claims>): ParsedJws<Claims> | undefined {
  const [header = '', payload = '', signaturePart = '', ...more] = jws.split('.');
  const parsedHeader = z
    .object({
      alg: z.literal('EdDSA'),
      typ: z.literal(typ),
      kid: z.string(),
      crit: z.never().optional(),
      b64: z.literal(true).optional(),
    })
    .safeParse(decodeJson(header));
  const claims = schema.safeParse(decodeJson(payload));
  const signature = decodeBase64Url(signaturePart);
  if (more.length > 0 || !parsedHeader.success || !claims.success || !signature) return undefined;
  const signed = Uint8Array.from(`${header}.${payload}`, (character) => character.charCodeAt(0));
  return { kid: parsedHeader.data.kid, claims: claims.data, signature, signed };
}

export type SignatureProblem = 'unknown_key' | 'wrong_signature';

/**
 * Returns what is wrong with the signature; `undefined` if it was made by the key named in the header, which must be in
 * `jwks`. Never throws, whatever the keys contain.
 */
export async function findSignatureProblem<Key>(
  { kid, signature, signed }: ParsedJws<unknown>,
  jwks: unknown,
  subtle: SignatureVerifier<Key>,
): Promise<SignatureProblem | undefined> {
  const jwk = findKey(jwks, kid);
  if (!jwk) return 'unknown_key';
  try {
    const { kty, crv, x } = jwk;
    const key = await subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
    return (await subtle.verify('Ed25519', key, signature, signed)) ? undefined : 'wrong_signature';
  } catch {
    // An invalid key, or a machine without Ed25519.
    return 'wrong_signature';
  }
}

/** Returns the Ed25519 signing keys of a JWKS; empty if it has none. */
export function readPublicKeys(jwks: unknown): PublicJwk[] {
  const keys = publicKeys.safeParse(jwks).data?.keys ?? [];
  return keys.flatMap((key) => publicJwk.safeParse(key).data ?? []);
}

function findKey(jwks: unknown, kid: string): PublicJwk | undefined {
  return readPublicKeys(jwks).find((key) => key.kid === kid);
}

/** Returns `undefined` if the text is not JSON. */
function decodeJson(part: string): unknown {
  try {
    const bytes = decodeBase64Url(part) ?? [];
    const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return JSON.parse(decodeURIComponent(escaped));
  } catch {
    return undefined;
  }
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Decodes base64url without padding (RFC 7515 §2). `undefined` for other text, including non-canonical encodings. */
function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let [bits, bitCount, length] = [0, 0, 0];
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[length++] = (bits >> bitCount) & 0xff;
  }
  // Leftover bits must be zero, so that bytes have only one encoding (RFC 4648 §3.5).
  return bitCount < 6 && (bits & ((1 << bitCount) - 1)) === 0 ? bytes : undefined;
}
