/** `user`: accounts, as an admin makes, sees, changes and deletes them. */
import type { Command } from 'commander';
import { signupRequest } from '../../shared/api/auth.ts';
import { ApiError } from '../errors.ts';
import { type AdminContext, answering, wantsJson } from './admin-command.ts';
import { listAnswer } from './answer.ts';
import { askPassword, readPassword } from './password-input.ts';
import { describeUser, toUserRecord } from './user-record.ts';

type PasswordOptions = { passwordStdin?: true };
type CreateOptions = PasswordOptions & { email: string; fullName?: string };

/** Adds the noun `user` with its verbs. */
export function addUserCommands(program: Command, context: AdminContext): void {
  const { withServices } = context;
  const user = program.command('user').description('Accounts: make, look at, change and delete them.');

  user
    .command('create')
    .description('Create an account. No trial is started; see "subscription set".')
    .requiredOption('--email <email>', 'what the person signs in with')
    .option('--full-name <name>', 'at most 200 characters')
    .option('--password-stdin', 'read the password from standard input; without it a terminal is asked')
    .action(
      answering(context, async ({ email, fullName, ...options }: CreateOptions, command: Command) => {
        const password = await passwordFor(context, options, command);
        const request = signupRequest.safeParse({ email, password, full_name: fullName });
        if (!request.success) throw new ApiError('VALIDATION_ERROR', 'full_name must have at most 200 characters.');
        return withServices(async ({ accounts }) => ({ json: toUserRecord(await accounts.create(request.data)) }));
      }),
    );

  user
    .command('show <email>')
    .description('Show an account with its subscription, licenses and API key.')
    .action(answering(context, (email: string) => withServices(async (services) => describeUser(services, email))));

  user
    .command('list')
    .description('List all accounts, oldest first.')
    .action(
      answering(context, () =>
        withServices(async ({ accounts }) =>
          listAnswer((await accounts.list()).map(toUserRecord), ['email', 'full_name', 'staff', 'created_at', 'id']),
        ),
      ),
    );

  user
    .command('delete <email>')
    .description(
      'Delete an account with all that belongs to it: sessions, subscription, licenses with their devices, API keys. ' +
        'Its license keys are unknown from then on; issue a new one if the person comes back.',
    )
    .action(
      answering(context, (email: string) =>
        withServices(async ({ accounts }) => ({ json: toUserRecord(await accounts.remove(email)) })),
      ),
    );

  user
    .command('password <email>')
    .description('Set another password and end all sessions of the account.')
    .option('--password-stdin', 'read the password from standard input; without it a terminal is asked')
    .action(
      answering(context, async (email: string, options: PasswordOptions, command: Command) => {
        const password = await passwordFor(context, options, command);
        return withServices(async ({ accounts }) => ({
          json: toUserRecord(await accounts.setPassword(email, password)),
        }));
      }),
    );
}

/** From standard input where that is said, else from a person at a terminal; anything else is wrong usage. */
async function passwordFor({ terminal }: AdminContext, options: PasswordOptions, command: Command): Promise<string> {
  if (options.passwordStdin) return readPassword(terminal.input);
  if (wantsJson(command) || !terminal.input.isTTY) {
    command.error("error: required option '--password-stdin' not specified");
  }
  return askPassword(terminal);
}
