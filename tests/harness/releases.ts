/** App releases: files with generated content, and manifests signed by the publisher's own program. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PublisherKey } from '../../electron/release/publisher-key.ts';
import { describeReleaseFile, platformOf } from '../../electron/release/release-file.ts';
import { signManifest, toClaims } from '../../electron/release/sign-manifest.ts';

/** Writes a file of a version into the folder of that version, and returns its path. */
export function writeReleaseFile(folder: string, version: string, name: string, content: string | Buffer): string {
  const path = join(folder, version);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, name), content);
  return join(path, name);
}

/** Returns content of this length that differs in each part. */
export function madeUpContent(bytes: number, seed = 'seed'): Buffer {
  const blocks = Array.from({ length: Math.ceil(bytes / 64) }, (_, index) =>
    createHash('sha512').update(`${seed} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, bytes);
}

export function newPublisherKey(kid = 'publisher-1'): PublisherKey {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { key: privateKey, publicJwk: { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' } };
}

/** Writes a manifest for the files beside the first of them, and returns its path. */
export async function writeManifest(
  version: string,
  paths: readonly [string, ...string[]],
  { key = newPublisherKey(), releasedAtMs = Date.UTC(2026, 0, 2) } = {},
): Promise<string> {
  const files = [];
  for (const path of paths) files.push(await describeReleaseFile(path, platformOf(basename(path)) ?? 'other_x64'));
  const claims = toClaims({ version, releasedAtMs, files, previous: undefined });
  const path = `${paths[0]}.${version}.jws`;
  writeFileSync(path, `${signManifest(claims, key)}\n`);
  return path;
}
