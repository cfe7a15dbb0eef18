/** Creates the manifest of a release: a compact JWS (RFC 7515 §7.1) with EdDSA (RFC 8037). */
import { sign } from 'node:crypto';
import { compareVersions, parseVersion } from '../../shared/formats/version.ts';
import {
  type UpdateManifestClaims,
  type UpdateManifestFile,
  updateManifestClaims,
  updateManifestIssuer,
  updateManifestType,
} from '../../shared/update-manifest.ts';
import type { PublisherKey } from './publisher-key.ts';
import { ReleaseError } from './release-error.ts';

/** Some hundred versions for several platforms. Apps and the server accept a manifest of up to 1 MiB. */
const maxPrevious = 2_000;

type Release = {
  readonly version: string;
  readonly releasedAtMs: number;
  readonly files: readonly UpdateManifestFile[];
  /** Claims of the previous manifest, verified. */
  readonly previous: UpdateManifestClaims | undefined;
};

/** Throws `ReleaseError` VALIDATION_ERROR for anything that no app would accept. */
export function toClaims({ version, releasedAtMs, files, previous }: Release): UpdateManifestClaims {
  requireNewer(version, previous?.version);
  const names = files.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new ReleaseError('VALIDATION_ERROR', `Two of the files are named ${repeated}.`);
  const parsed = updateManifestClaims.safeParse({
    iss: updateManifestIssuer,
    version,
    released_at: Math.floor(releasedAtMs / 1000),
    files,
    previous: listPrevious(version, previous),
  });
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
  throw new ReleaseError('VALIDATION_ERROR', `The manifest is not valid: ${problems.join('; ')}.`);
}

export function signManifest(claims: UpdateManifestClaims, { key, publicJwk }: PublisherKey): string {
  const signed = `${encode({ alg: 'EdDSA', typ: updateManifestType, kid: publicJwk.kid })}.${encode(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`;
}

function requireNewer(version: string, before: string | undefined): void {
  const parsed = parseVersion(version);
  if (!parsed) {
    throw new ReleaseError('VALIDATION_ERROR', `"${version}" is not a version as semver.org says, such as 4.2.0.`);
  }
  const earlier = before === undefined ? null : parseVersion(before);
  if (!earlier || compareVersions(earlier, parsed) <= 0) return;
  throw new ReleaseError('VALIDATION_ERROR', `The manifest before is of ${before}, which is newer than ${version}.`);
}

/** Lists the newest first. Files of the same version were replaced before they were published, and are omitted. */
function listPrevious(version: string, before: UpdateManifestClaims | undefined): UpdateManifestClaims['previous'] {
  if (!before) return [];
  const files = before.files.map(({ platform, sha256 }) => ({ version: before.version, platform, sha256 }));
  const all = [...files, ...before.previous].filter((file) => file.version !== version);
  const isFirst = ({ sha256 }: { sha256: string }, index: number) =>
    all.findIndex((other) => other.sha256 === sha256) === index;
  return all.filter(isFirst).slice(0, maxPrevious);
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
