/**
 * Signs and reads JWTs in the one form that this server issues: compact (RFC 7515 §7.1), HMAC with SHA-256. A token in
 * any other form is not ours, so nothing else is implemented: no other algorithm, no key and no extension from the header.
 */
import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { HmacKey } from '../hmac.ts';

/** A key and the id by which a token names it. */
type NamedKey = { readonly kid: string; readonly key: KeyObject };

const algorithm = 'HS256';

/** `crit` would name extensions that must be understood (RFC 7515 §4.1.11), and we have none. */
const headerSchema = z.object({ alg: z.literal(algorithm), kid: z.string(), crit: z.undefined().optional() });

export function signToken(claims: object, key: NamedKey): string {
  const { header, hmac } = prepare(key);
  const signed = `${header}.${encode(claims)}`;
  return `${signed}.${hmac.digest(signed, 'base64url')}`;
}

/** The claims of a token whose signature is right, as yet unchecked; `undefined` for any other text. */
export async function readSignedToken(
  token: string,
  findKey: (kid: string) => Promise<NamedKey | undefined>,
): Promise<unknown> {
  const [header = '', claims = '', signature = '', ...more] = token.split('.');
  if (more.length > 0) return undefined;
  const parsed = headerSchema.safeParse(decode(header));
  const found = parsed.success ? await findKey(parsed.data.kid) : undefined;
  if (!found || !isEqual(signature, prepare(found).hmac.digest(`${header}.${claims}`, 'base64url'))) return undefined;
  return decode(claims);
}

type PreparedKey = { readonly header: string; readonly hmac: HmacKey };

const preparedKeys = new WeakMap<NamedKey, PreparedKey>();

/** What all tokens under this key have in common. */
function prepare(named: NamedKey): PreparedKey {
  const known = preparedKeys.get(named);
  if (known) return known;
  const { kid, key } = named;
  const prepared = { header: encode({ alg: algorithm, typ: 'JWT', kid }), hmac: new HmacKey(key.export()) };
  preparedKeys.set(named, prepared);
  return prepared;
}

/** Takes as long wherever the texts differ. As text, a signature has one form only. */
function isEqual(left: string, right: string): boolean {
  const [leftBytes, rightBytes] = [Buffer.from(left), Buffer.from(right)];
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

/** `undefined` for what is no JSON. */
function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
