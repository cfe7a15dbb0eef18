/** `api-key`: import keys of an older system, and revoke keys. */
import { type Command, Option } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import type { AdminContext } from './admin-context.ts';
import { parseSha256, parseTime, readSecret } from './command-input.ts';
import { describeUnconfirmed } from './command-output.ts';

type ImportOptions = { key?: string; keyStdin?: true; sha256?: string; expiresAt: number };

const needsOne = "error: one of the options '--key', '--key-stdin' and '--sha256' is required";

/** Adds the noun `api-key` and its commands. */
export function addApiKeyCommands(program: Command, context: AdminContext): void {
  const apiKey = program.command('api-key').description('API keys: import those of an older system, revoke them.');

  apiKey
    .command('import-legacy <email>')
    .description(
      'Make a key of an older system the API key of an account, replacing the one it has. ' +
        'Until it expires it is valid regardless of the subscription.',
    )
    .addOption(
      new Option('--key <key>', 'the key itself; only its SHA-256 is stored').conflicts(['keyStdin', 'sha256']),
    )
    .addOption(
      new Option(
        '--key-stdin',
        'read the key from standard input, so that the list of processes does not show it',
      ).conflicts('sha256'),
    )
    .addOption(new Option('--sha256 <hex>', 'the SHA-256 of the key, if the key is not known').argParser(parseSha256))
    .requiredOption('--expires-at <time>', 'ISO 8601, may be in the past', parseTime)
    .action(
      context.printing(async (email: string, options: ImportOptions, command: Command) => {
        const { sha256, expiresAt } = options;
        const key = options.keyStdin ? await readSecret(context.terminal.input, 'key') : options.key;
        const legacy = key !== undefined ? { key } : { sha256: sha256 ?? command.error(needsOne) };
        return context.withServices(async ({ accounts, apiKeyAdmin }) => {
          const owner = await accounts.getByEmail(email);
          const json = await apiKeyAdmin.importLegacy(owner.id, { ...legacy, expiresAtMs: expiresAt }, byCommand);
          if (!accounts.mayReceiveByEmail(owner)) context.warn(describeUnconfirmed(owner.email));
          return { json };
        });
      }),
    );

  apiKey
    .command('revoke <email>')
    .description('Revoke the API key of an account; it is invalid at once.')
    .action(
      context.running(async ({ accounts, apiKeyAdmin }, email: string) => {
        const { id } = await accounts.getByEmail(email);
        return { json: await apiKeyAdmin.revoke(id, byCommand) };
      }),
    );
}
