/**
 * Update manifests: the publisher's offline signature over the files of a version, with a key that the server does not
 * have. Therefore a compromised server cannot offer anything that an app with the publisher's keys installs.
 */
import { z } from 'zod';
import { epochSeconds } from './api/fields.ts';
import { findSignatureProblem, parseJws, type SignatureProblem, type SignatureVerifier } from './jws.ts';

/** `typ` of the header, which no other token has (RFC 8725 §3.11). */
export const updateManifestType = 'update+jwt';
export const updateManifestIssuer = 'latchkey-publisher';

/** `windows_x64`, `macos_arm64`, `linux_amd64` as in `/binary-hash`, and others such as `linux_arm64`. */
const platform = z.string().regex(/^[a-z]+_[a-z0-9]{1,20}$/, 'must be a system and an architecture: linux_amd64');

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hex characters');

/** 64 bytes in base64, as in update feeds. */
const sha512 = z.string().regex(/^[A-Za-z0-9+/]{86}==$/, 'must be 64 bytes in base64');

const updateManifestFile = z.object({
  /** File name without a folder. */
  name: z.string().min(1).max(200),
  platform,
  bytes: z.int().positive(),
  sha256,
  sha512,
});
export type UpdateManifestFile = z.infer<typeof updateManifestFile>;

export const updateManifestClaims = z.object({
  iss: z.literal(updateManifestIssuer),
  version: z.string().min(1).max(100),
  released_at: epochSeconds,
  files: z.array(updateManifestFile).min(1),
  /** Files of earlier versions, so that one of them is recognized as genuine but older. */
  previous: z.array(z.object({ version: z.string().min(1).max(100), platform, sha256 })),
});
export type UpdateManifestClaims = z.infer<typeof updateManifestClaims>;

type UpdateManifestProblem = 'malformed' | SignatureProblem;

type UpdateManifestVerification =
  | { readonly valid: true; readonly claims: UpdateManifestClaims }
  | { readonly valid: false; readonly problem: UpdateManifestProblem };

type UpdateManifestCheck<Key> = {
  /** The publisher's keys that the app trusts: `{keys: [JWK…]}`. */
  readonly jwks: unknown;
  /** `crypto.subtle` */
  readonly subtle: SignatureVerifier<Key>;
};

/**
 * Checks whether a manifest was signed by one of the keys. Never throws, whatever the manifest or keys contain.
 * Comparing the version with another one is up to the caller.
 */
export async function verifyUpdateManifest<Key>(
  manifest: string,
  { jwks, subtle }: UpdateManifestCheck<Key>,
): Promise<UpdateManifestVerification> {
  const parsed = parseUpdateManifest(manifest);
  if (!parsed) return { valid: false, problem: 'malformed' };
  const problem = await findSignatureProblem(parsed, jwks, subtle);
  return problem ? { valid: false, problem } : { valid: true, claims: parsed.claims };
}

/** Parses a manifest without verifying its signature; `undefined` if it is malformed. */
export function parseUpdateManifest(manifest: string) {
  return parseJws(manifest, updateManifestType, updateManifestClaims);
}
