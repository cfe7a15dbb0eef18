/** `installer`: publish the hashes by which users verify a downloaded installer. */
import { type Command, InvalidArgumentError } from 'commander';
import type { InstallerPlatform } from '../../shared/api/installer.ts';
import { normalizeInstallerHash } from '../../shared/formats/installer-hash.ts';
import { byCommand } from '../audit/audit-event.ts';
import { ApiError } from '../errors.ts';
import { hashFile } from '../hash-file.ts';
import type { AdminContext } from './admin-context.ts';

type PublishOptions = { windowsX64?: string; macosArm64?: string; linuxAmd64?: string };

/** Adds the noun `installer` and its commands. */
export function addInstallerCommands(program: Command, context: AdminContext): void {
  const installer = program.command('installer').description('Installers: publish their hashes, clear them.');

  installer
    .command('publish <version>')
    .description(
      'Publish the hashes of the installers of a version. A platform that is not given keeps its hash if that is of ' +
        'the same version, and loses it otherwise.',
    )
    .option('--windows-x64 <file>', 'the installer, or its hash as sha256:HEX', parseSource)
    .option('--macos-arm64 <file>', 'likewise', parseSource)
    .option('--linux-amd64 <file>', 'likewise', parseSource)
    .action(
      context.printing(async (version: string, options: PublishOptions, command: Command) => {
        const hashes = await readHashes(context, options);
        if (Object.keys(hashes).length === 0) command.error('error: give the installer of at least one platform');
        return context.withServices(async ({ installers }) => ({
          json: await installers.publish(version, hashes, byCommand),
        }));
      }),
    );

  installer
    .command('clear')
    .description('Remove all published hashes.')
    .action(
      context.printing(() =>
        context.withServices(async ({ installers }) => {
          await installers.clear(byCommand);
          return { json: { version: null, hashes: {}, updated_at: null }, text: 'No installer is published.' };
        }),
      ),
    );
}

/** A value with the prefix of a hash must be one; any other is a file, which is read when the command runs. */
function parseSource(value: string): string {
  if (value.startsWith('sha256:') && normalizeInstallerHash(value) === null) {
    throw new InvalidArgumentError('A hash is sha256: and 64 hex characters.');
  }
  return value;
}

async function readHashes(
  context: AdminContext,
  { windowsX64, macosArm64, linuxAmd64 }: PublishOptions,
): Promise<Partial<Record<InstallerPlatform, string>>> {
  const sources = { windows_x64: windowsX64, macos_arm64: macosArm64, linux_amd64: linuxAmd64 };
  const hashes: Partial<Record<InstallerPlatform, string>> = {};
  for (const [platform, source] of Object.entries(sources) as [InstallerPlatform, string | undefined][]) {
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
    const reason = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    throw new ApiError('NOT_FOUND', `The file ${path} cannot be read${reason}.`);
  }
}
