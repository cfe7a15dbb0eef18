/** Verifies what GitHub's secret scanning sends: ECDSA over the body, by one of the keys that GitHub publishes. */
import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';

const publishedKeys = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

export type GithubSignature = {
  /** The header `Github-Public-Key-Identifier`. */
  readonly keyId: string;
  /** The header `Github-Public-Key-Signature`: base64 of a signature in DER. */
  readonly signature: string;
};

/**
 * Whether the signature of the body is by the published key of this name. `published` is the JSON of
 * `https://api.github.com/meta/public_keys/secret_scanning`; throws if it is anything else.
 */
export function isSignedByGithub(body: Uint8Array, { keyId, signature }: GithubSignature, published: string): boolean {
  const keys = publishedKeys.parse(JSON.parse(published)).public_keys;
  const found = keys.find(({ key_identifier }) => key_identifier === keyId);
  if (!found) return false;
  const key = createPublicKey(found.key);
  return key.asymmetricKeyType === 'ec' && verify('sha256', body, key, Buffer.from(signature, 'base64'));
}
