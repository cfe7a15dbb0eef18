/** `api-key`: bring over keys of an older system, and revoke a key. */
import { type Command, Option } from 'commander';
import { type AdminContext, answering } from './admin-command.ts';
import { parseSha256, parseTime } from './option-values.ts';

type ImportOptions = { key?: string; sha256?: string; expiresAt: number };

/** Adds the noun `api-key` with its verbs. */
export function addApiKeyCommands(program: Command, context: AdminContext): void {
  const apiKey = program.command('api-key').description('API keys: bring over older ones, revoke them.');

  apiKey
    .command('import-legacy <email>')
    .description(
      'Make a key of an older system the key of an account, in place of the one that it may have. ' +
        'Until it expires it validates whatever the subscription.',
    )
    .addOption(new Option('--key <key>', 'the key as it is; only its SHA-256 is kept').conflicts('sha256'))
    .addOption(
      new Option('--sha256 <hex>', 'the SHA-256 of the key, where the key is not known').argParser(parseSha256),
    )
    .requiredOption('--expires-at <time>', 'ISO 8601, may be past', parseTime)
    .action(
      answering(context, (email: string, { key, sha256, expiresAt }: ImportOptions, command: Command) => {
        const legacy = key !== undefined ? { key } : { sha256: sha256 ?? neitherGiven(command) };
        return context.withServices(async ({ accounts, apiKeyAdmin }) => {
          const { id } = await accounts.find(email);
          return { json: await apiKeyAdmin.importLegacy(id, legacy, expiresAt) };
        });
      }),
    );

  apiKey
    .command('revoke <email>')
    .description('Revoke the API key of an account; it is invalid at once.')
    .action(
      answering(context, (email: string) =>
        context.withServices(async ({ accounts, apiKeyAdmin }) => {
          const { id } = await accounts.find(email);
          return { json: await apiKeyAdmin.revoke(id) };
        }),
      ),
    );
}

function neitherGiven(command: Command): never {
  return command.error("error: one of the options '--key' and '--sha256' is required");
}
