/** Checks a manifest against the files that it is published with. */
import { installableKinds } from '../../shared/api/update-feed.ts';
import { parseUpdateManifest, type UpdateManifestClaims, verifyUpdateManifest } from '../../shared/update-manifest.ts';
import { ApiError } from '../errors.ts';
import { type FeedFile, isInstallable } from './update-feed.rules.ts';

/**
 * Returns the claims of the manifest. Verifies its signature if the publisher's keys are known here; otherwise that is
 * left to the apps. Throws `ApiError` VALIDATION_ERROR.
 */
export async function readManifest(
  manifest: string,
  jwks: { readonly keys: readonly unknown[] },
): Promise<UpdateManifestClaims> {
  const claims = parseUpdateManifest(manifest)?.claims;
  if (!claims) throw refused('it is not one that "npm run sign-update" has written');
  if (jwks.keys.length === 0) return claims;
  const verified = await verifyUpdateManifest(manifest, { jwks, subtle: crypto.subtle });
  if (!verified.valid) throw refused('it is not signed by one of latchkey.updateKeys in package.json');
  return claims;
}

/**
 * Requires that the manifest is for this version and lists each of the files exactly, since no app would install a file
 * that differs. It may list more files, to be published later. Throws `ApiError` VALIDATION_ERROR.
 */
export function requireListed(claims: UpdateManifestClaims, version: string, files: readonly FeedFile[]): void {
  if (claims.version !== version) throw refused(`it is of version ${claims.version}`);
  for (const { kind, name, bytes, sha256, sha512 } of files) {
    if (!isInstallable(kind)) continue;
    const listed = claims.files.find((file) => file.name === name);
    if (!listed) throw refused(`it does not list ${name}`);
    if (listed.platform !== installableKinds[kind].platform) throw refused(`it lists ${name} for ${listed.platform}`);
    if (listed.bytes !== bytes || listed.sha256 !== sha256 || listed.sha512 !== sha512) {
      throw refused(`it lists another ${name}`);
    }
  }
}

function refused(reason: string): ApiError {
  return new ApiError('VALIDATION_ERROR', `The manifest does not fit: ${reason}. Sign the files that you publish.`);
}
