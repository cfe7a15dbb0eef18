/** Verifies reports of GitHub's secret scanning: ECDSA over the body, with one of the keys that GitHub publishes. */
import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';

const publishedKeys = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

export type GithubSignature = {
  /** The header `Github-Public-Key-Identifier`. */
  readonly keyId: string;
  /** The header `Github-Public-Key-Signature`: a DER signature in base64. */
  readonly signature: string;
};

/**
 * Returns true if the body is signed with the published key that has this identifier. `published` is the JSON of
 * `https://api.github.com/meta/public_keys/secret_scanning`; throws for anything else.
 */
export function isSignedByGithub(body: Uint8Array, { keyId, signature }: GithubSignature, published: string): boolean {
  const keys = publishedKeys.parse(JSON.parse(published)).public_keys;
  const found = keys.find(({ key_identifier }) => key_identifier === keyId);
  if (!found) return false;
  const key = createPublicKey(found.key);
  return key.asymmetricKeyType === 'ec' && verify('sha256', body, key, Buffer.from(signature, 'base64'));
}
