/** `npm run sign-update`: signs the manifest of a release with the publisher's key, without network access. */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type UpdateManifestClaims, verifyUpdateManifest } from '../../shared/update-manifest.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { createPublisherKey, type PublisherKey, readPublisherKey } from './publisher-key.ts';
import { ReleaseError } from './release-error.ts';
import { describeReleaseFile, platformOf } from './release-file.ts';
import { signManifest, toClaims } from './sign-manifest.ts';

const usage = `Signs the manifest of a release.

npm run sign-update -- --key KEY.json --out FILE [--previous FILE] [--json] VERSION FILE…
npm run sign-update -- --new-key KEY.json

  --key KEY.json          the publisher's private Ed25519 key, a JWK that only its owner can read
  --out FILE              where the manifest is written
  --previous FILE         the manifest of the version before, whose files are taken over as earlier ones
  --platform NAME=FILE    a file whose platform its name does not tell, such as linux_arm64=./app.bin
  --json                  print one line of JSON
  --new-key KEY.json      make a key, and print its public part for latchkey.updateKeys in package.json
`;

type SignUpdateDeps = {
  /** Base folder of relative file names. */
  readonly folder: string;
  /** Text of the project's package.json, whose `latchkey.updateKeys` may have signed the previous manifest. */
  readonly packageJson: string;
  now(): number;
  writeOutput(text: string): void;
  writeError(text: string): void;
};

/** Runs the command and resolves with its exit code: 0 done, 1 failed, 2 wrong usage. */
async function signUpdate(words: readonly string[], deps: SignUpdateDeps): Promise<0 | 1 | 2> {
  let options: ReturnType<typeof parse>;
  try {
    options = parse(words);
  } catch (error) {
    deps.writeError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
  const { values, positionals } = options;
  try {
    if (values['new-key'] !== undefined) return makeKey(resolve(deps.folder, values['new-key']), deps);
    const [version, ...paths] = positionals;
    if (values.key === undefined || values.out === undefined || version === undefined) throw new UsageError();
    const sources = toSources(paths, values.platform ?? []);
    if (sources.length === 0) throw new UsageError();
    const { key, out, previous, json = false } = values;
    await sign({ key, out, previous, json, version, sources }, deps);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      deps.writeError(usage);
      return 2;
    }
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof ReleaseError ? error.code : 'FILE_UNREADABLE';
    deps.writeError(values.json ? `${JSON.stringify({ error: message, code })}\n` : `${message}\n`);
    return 1;
  }
}

class UsageError extends Error {}

function parse(words: readonly string[]) {
  return parseArgs({
    args: [...words],
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      out: { type: 'string' },
      previous: { type: 'string' },
      platform: { type: 'string', multiple: true },
      json: { type: 'boolean' },
      'new-key': { type: 'string' },
    },
  });
}

function makeKey(path: string, { writeOutput, writeError }: SignUpdateDeps): 0 {
  const { publicJwk } = createPublisherKey(path);
  writeOutput(`${JSON.stringify(publicJwk)}\n`);
  writeError(
    `The key is in ${path}: keep it offline, and keep a copy. Its public part goes into latchkey.updateKeys.\n`,
  );
  return 0;
}

type Source = { readonly path: string; readonly platform: string };

/** Lists each file once; `--platform` takes precedence over the file name. Throws `ReleaseError` PLATFORM_UNKNOWN. */
function toSources(paths: readonly string[], platforms: readonly string[]): Source[] {
  const named = platforms.map((text) => {
    const [, platform, path] = /^([a-z]+_[a-z0-9]+)=(.+)$/.exec(text) ?? [];
    if (platform === undefined || path === undefined) throw new UsageError();
    return { path, platform };
  });
  const others = paths.filter((path) => !named.some((source) => source.path === path));
  return [...others.map((path) => ({ path, platform: requirePlatform(path) })), ...named];
}

function requirePlatform(path: string): string {
  const platform = platformOf(basename(path));
  if (platform !== null) return platform;
  throw new ReleaseError(
    'PLATFORM_UNKNOWN',
    path.endsWith('.blockmap')
      ? `${path} is not installed, so it is not signed: leave it out.`
      : `The name of ${path} does not tell its platform: give --platform NAME=${path}, such as linux_amd64=${path}.`,
  );
}

type SignInput = {
  readonly key: string;
  readonly out: string;
  readonly previous: string | undefined;
  readonly json: boolean;
  readonly version: string;
  readonly sources: readonly Source[];
};

async function sign({ key, out, previous, json, version, sources }: SignInput, deps: SignUpdateDeps): Promise<void> {
  const { folder, now, packageJson, writeOutput } = deps;
  const publisherKey = readPublisherKey(resolve(folder, key));
  const before =
    previous === undefined ? undefined : await readPrevious(resolve(folder, previous), publisherKey, packageJson);
  const files = [];
  for (const { path, platform } of sources) files.push(await describeReleaseFile(resolve(folder, path), platform));
  const claims = toClaims({ version, releasedAtMs: now(), files, previous: before });
  const file = resolve(folder, out);
  await writeAtomically(file, `${signManifest(claims, publisherKey)}\n`);
  const { kid } = publisherKey.publicJwk;
  writeOutput(
    json
      ? `${JSON.stringify({ file, kid, version, released_at: claims.released_at, files, previous: claims.previous.length })}\n`
      : `${files.map(({ platform, name }) => `${platform}  ${name}\n`).join('')}${file} is the manifest of ${version}, signed by ${kid}.\n`,
  );
}

/**
 * Verifies the previous manifest, since it probably comes from a server: with this key, or another one that the app
 * trusts.
 */
async function readPrevious(
  path: string,
  { publicJwk }: PublisherKey,
  packageJson: string,
): Promise<UpdateManifestClaims> {
  const { latchkey } = JSON.parse(packageJson) as { latchkey?: { updateKeys?: unknown } };
  const trusted: unknown[] = Array.isArray(latchkey?.updateKeys) ? latchkey.updateKeys : [];
  const jwks = { keys: [publicJwk, ...trusted] };
  const verified = await verifyUpdateManifest(readFileSync(path, 'utf8').trim(), { jwks, subtle: crypto.subtle });
  if (verified.valid) return verified.claims;
  throw new ReleaseError(
    'VALIDATION_ERROR',
    verified.problem === 'malformed'
      ? `${path} is not a manifest.`
      : `${path} is signed neither by this key nor by one of latchkey.updateKeys in package.json.`,
  );
}

async function main(): Promise<void> {
  // npm changes to the project's folder.
  const folder = (process.env.npm_lifecycle_event === 'sign-update' && process.env.INIT_CWD) || process.cwd();
  process.exitCode = await signUpdate(process.argv.slice(2), {
    folder,
    packageJson: readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    now: () => Date.now(),
    writeOutput: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
