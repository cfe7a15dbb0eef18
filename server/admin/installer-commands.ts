/** `installer`: publish the hashes by which users verify a downloaded installer, and the update feed. */
import { readFileSync, statSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { type InstallerPlatform, installerPlatforms } from '../../shared/api/installer.ts';
import type { InstallableKind } from '../../shared/api/update-feed.ts';
import { normalizeInstallerHash } from '../../shared/formats/installer-hash.ts';
import { byCommand } from '../audit/audit-event.ts';
import { ApiError, codeOf } from '../errors.ts';
import { hashFile } from '../hash-file.ts';
import type { Services } from '../services.ts';
import { describeFeedVersion } from '../updates/describe-feed.ts';
import type { FeedVersion } from '../updates/update-feed.rules.ts';
import type { Publication } from '../updates/update-feed.service.ts';
import type { AdminContext } from './admin-context.ts';

type HashOptions = { windowsX64?: string; macosArm64?: string; linuxAmd64?: string };

/** Options that only apply to the feed. */
type FeedOptions = {
  macosZip?: string;
  linuxDeb?: string;
  linuxArm64?: string;
  blockmap?: string[];
  manifest?: string;
  percent?: number;
};

type PublishOptions = HashOptions & FeedOptions & { feed?: boolean };

/** Adds the noun `installer` and its commands. */
export function addInstallerCommands(program: Command, context: AdminContext): void {
  const installer = program
    .command('installer')
    .description('Installers: publish their hashes and updates, roll updates out, take them back.');
  addPublish(installer, context);
  addFeedCommands(installer, context);
  installer
    .command('clear')
    .description('Remove all published hashes.')
    .action(
      context.running(async ({ installers }) => {
        await installers.clear(byCommand);
        return { json: { version: null, hashes: {}, updated_at: null }, text: 'No installer is published.' };
      }),
    );
}

function addPublish(installer: Command, context: AdminContext): void {
  installer
    .command('publish <version>')
    .description(
      'Publish the hashes of the installers of a version. A platform that you leave out keeps its hash if that is of ' +
        'the same version, and loses it otherwise. With --feed the files become the update of installed apps.',
    )
    .option('--windows-x64 <file>', 'the installer, or its hash as sha256:HEX', parseSource)
    .option('--macos-arm64 <file>', 'likewise', parseSource)
    .option('--linux-amd64 <file>', 'likewise', parseSource)
    .option('--feed', 'copy the files into the update feed, which offers them to installed apps')
    .option('--macos-zip <file>', 'with --feed: the zip from which macOS updates')
    .option('--linux-deb <file>', 'with --feed: the Debian package')
    .option('--linux-arm64 <file>', 'with --feed: the AppImage for ARM')
    .option('--blockmap <file>', 'with --feed: FILE.blockmap of a file; may be given several times', collect)
    .option('--manifest <file>', 'with --feed: what "npm run sign-update" has written about the files')
    .option('--percent <n>', 'with --feed: how many of 100 devices are offered it (default: 100)', parsePercent)
    .action(
      context.printing(async (version: string, options: PublishOptions, command: Command) => {
        requireConsistent(options, command);
        if (options.feed) {
          const publication = readPublication(context, version, options);
          return context.withServices(async (services) => {
            const published = await services.updateFeed.publish(publication, byCommand);
            return { json: await describe(services, published) };
          });
        }
        const hashes = await readHashes(context, options);
        return context.withServices(async ({ installers }) => ({
          json: await installers.publish(version, hashes, byCommand),
        }));
      }),
    );
}

function addFeedCommands(installer: Command, context: AdminContext): void {
  installer
    .command('rollout <version>')
    .description('Set how many of 100 devices the update feed offers a version. 0 stops it.')
    .requiredOption('--percent <n>', '0 to 100', parsePercent)
    .action(
      context.running(async (services, version: string, { percent }: { percent: number }) => ({
        json: await describe(services, await services.updateFeed.rollout(version, percent, byCommand)),
      })),
    );
  installer
    .command('withdraw <version>')
    .description(
      'Take a version out of the update feed, which then offers the previous version again, if there is one.',
    )
    .action(
      context.running(async (services, version: string) => {
        const offered = await services.updateFeed.withdraw(version, byCommand);
        if (offered) return { json: await describe(services, offered) };
        const nothing = { version: null, hashes: {}, updated_at: null, feed: null };
        return { json: nothing, text: 'The update feed offers nothing.' };
      }),
    );
}

async function describe({ installers }: Services, feedVersion: FeedVersion): Promise<object> {
  return describeFeedVersion(feedVersion, await installers.getVersion(feedVersion.version));
}

/** Validates a value with the prefix of a hash; any other value is a file, which is read when the command runs. */
function parseSource(value: string): string {
  if (value.startsWith('sha256:') && normalizeInstallerHash(value) === null) {
    throw new InvalidArgumentError('A hash is sha256: and 64 hex characters.');
  }
  return value;
}

function parsePercent(value: string): number {
  if (/^(?:\d{1,2}|100)$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is a whole number from 0 to 100.');
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Ends the command with its usage if the options contradict each other. */
function requireConsistent(options: PublishOptions, command: Command): void {
  const { windowsX64, macosArm64, linuxAmd64, macosZip, linuxDeb, linuxArm64, feed = false } = options;
  const sources = [windowsX64, macosArm64, linuxAmd64].filter((source) => source !== undefined);
  const { blockmap, manifest, percent } = options;
  const files = [macosZip, linuxDeb, linuxArm64, blockmap].filter((file) => file !== undefined);
  if (!feed && [...files, manifest, percent].some((value) => value !== undefined)) {
    command.error('error: --macos-zip, --linux-deb, --linux-arm64, --blockmap, --manifest and --percent need --feed');
  }
  if (sources.length + files.length === 0) command.error('error: give the installer of at least one platform');
  if (feed && sources.some((source) => source.startsWith('sha256:'))) {
    command.error('error: the update feed needs the files themselves, not their hashes');
  }
}

const maxManifestBytes = 1024 * 1024;

function readPublication(context: AdminContext, version: string, options: PublishOptions): Publication {
  const { manifest, percent, blockmap = [] } = options;
  const given: Record<InstallableKind, string | undefined> = {
    windows_x64: options.windowsX64,
    macos_zip: options.macosZip,
    macos_arm64: options.macosArm64,
    linux_amd64: options.linuxAmd64,
    linux_deb: options.linuxDeb,
    linux_arm64: options.linuxArm64,
  };
  const installable = Object.entries(given) as [InstallableKind, string | undefined][];
  const files = installable.flatMap(([kind, file]) =>
    file === undefined ? [] : [{ kind, path: context.resolveFile(file) }],
  );
  const blockMaps = blockmap.map((file) => ({ kind: 'block_map' as const, path: context.resolveFile(file) }));
  return {
    version: version.trim(),
    files: [...files, ...blockMaps],
    manifest: manifest === undefined ? undefined : readManifestFile(context.resolveFile(manifest)),
    percent,
  };
}

function readManifestFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new ApiError('NOT_FOUND', `There is no file ${path}.`);
  if (stats.size > maxManifestBytes) throw new ApiError('VALIDATION_ERROR', `${path} is too long for a manifest.`);
  return readFileSync(path, 'utf8').trim();
}

async function readHashes(
  context: AdminContext,
  { windowsX64, macosArm64, linuxAmd64 }: HashOptions,
): Promise<Partial<Record<InstallerPlatform, string>>> {
  const sources = { windows_x64: windowsX64, macos_arm64: macosArm64, linux_amd64: linuxAmd64 };
  const hashes: Partial<Record<InstallerPlatform, string>> = {};
  for (const platform of installerPlatforms) {
    const source = sources[platform];
    if (source !== undefined) hashes[platform] = await readHash(context, source);
  }
  return hashes;
}

async function readHash(context: AdminContext, source: string): Promise<string> {
  if (source.startsWith('sha256:')) return source;
  const path = context.resolveFile(source);
  try {
    return `sha256:${await hashFile(path)}`;
  } catch (error) {
    throw new ApiError('NOT_FOUND', `The file ${path} cannot be read (${codeOf(error)}).`);
  }
}
