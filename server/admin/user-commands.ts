/** `user`: create, invite, show, list and delete accounts, and set their passwords. */
import type { Command } from 'commander';
import type { User } from '../../shared/api/auth.ts';
import { nameText } from '../../shared/api/fields.ts';
import type { Account } from '../accounts/account.ts';
import { byCommand } from '../audit/audit-event.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import { ApiError } from '../errors.ts';
import type { Services } from '../services.ts';
import { findSiteUrl } from '../staff/staff-link.ts';
import type { AdminContext } from './admin-context.ts';
import { askPassword, readSecret } from './command-input.ts';
import { type CommandResult, createTableFormat, formatFields } from './command-output.ts';
import { formatLicenses } from './license-commands.ts';
import { addListAction } from './list-command.ts';

type PasswordOptions = { passwordStdin?: true };
type InviteOptions = { fullName?: string; plan?: string; send?: boolean };
type CreateOptions = PasswordOptions & { email: string; fullName?: string };

/** Adds the noun `user` and its commands. */
export function addUserCommands(program: Command, context: AdminContext): void {
  const user = program
    .command('user')
    .description('Accounts: create, invite, show, list and delete them, set their passwords.');
  addCreate(user, context);
  addInvite(user, context);

  user
    .command('show <email>')
    .description('Show an account with its subscription, licenses and API key.')
    .action(context.running(async (services, email: string) => describeUser(services, email)));

  const list = user.command('list').description('List all accounts, oldest first.');
  addListAction(list, context, async ({ accounts }) => ({
    readPage: async (page) => {
      const { rows, next } = await accounts.listPage(page);
      return { rows: rows.map(toUserRecord), next };
    },
    formatPage: createTableFormat<UserRecord>(['email', 'full_name', 'created_at', 'id']),
  }));

  user
    .command('delete <email>')
    .description(
      'Delete an account and all that belongs to it: sessions, subscription, licenses with their devices, API keys. ' +
        'Its license keys stop working for good; issue a new one if the user comes back.',
    )
    .action(
      context.running(async ({ accounts }, email: string) => ({
        json: toUserRecord(await accounts.remove(email, byCommand)),
      })),
    );

  addPassword(user, context);
}

const passwordStdinHelp = 'read the password from standard input; without it the terminal prompts for one';

function addCreate(user: Command, context: AdminContext): void {
  user
    .command('create')
    .description('Create an account. It starts without a trial; see "subscription set".')
    .requiredOption('--email <email>', 'what the user signs in with')
    .option('--full-name <name>', 'at most 200 characters')
    .option('--password-stdin', passwordStdinHelp)
    .action(
      context.printing(async ({ email, fullName, ...options }: CreateOptions, command: Command) => {
        const password = await passwordFor(context, options, command);
        const request = { email, password, full_name: readFullName(fullName) ?? '' };
        return context.withServices(async ({ accounts }) => ({
          json: toUserRecord(await accounts.create(request, byCommand)),
        }));
      }),
    );
}

function addInvite(user: Command, context: AdminContext): void {
  user
    .command('invite <email>')
    .description(
      'Create an account without a password and print the link with which its owner chooses one. It works once, within 7 ' +
        'days. For an account that has no password yet, the link replaces the previous one.',
    )
    .option('--full-name <name>', 'at most 200 characters')
    .option('--plan <plan>', 'set the subscription: a plan of "plan list", active for 30 days')
    .option('--send', 'mail the link as well; the server must have a mail server')
    .action(
      context.running(async ({ invitations }, email: string, { fullName, plan, send = false }: InviteOptions) => {
        const config = context.config();
        const full_name = readFullName(fullName);
        const siteUrl = findSiteUrl(config, config.port);
        const { account, link } = await invitations.invite({ email, full_name, plan, send }, { ...byCommand, siteUrl });
        const next = send ? `The link was mailed to ${account.email} too.` : `Send the link to ${account.email}.`;
        const text = `${link}\n${next} It works once, within 7 days.`;
        return { json: { user: toUserRecord(account), link }, text };
      }),
    );
}

function readFullName(text: string | undefined): string | undefined {
  const name = nameText.optional().safeParse(text);
  if (!name.success) throw new ApiError('VALIDATION_ERROR', 'full_name must have at most 200 characters.');
  return name.data;
}

function addPassword(user: Command, context: AdminContext): void {
  user
    .command('password <email>')
    .description('Set a new password and end all sessions of the account.')
    .option('--password-stdin', passwordStdinHelp)
    .action(
      context.printing(async (email: string, options: PasswordOptions, command: Command) => {
        const password = await passwordFor(context, options, command);
        return context.withServices(async ({ passwords }) => {
          const { account, revoked } = await passwords.set(email, password, byCommand);
          if (revoked) {
            context.warn(
              `The API key ${revoked.api_key_prefix}… was revoked, because a member of staff who is not an owner set the ` +
                'previous password. The user has to generate another one.',
            );
          }
          return { json: toUserRecord(account) };
        });
      }),
    );
}

/**
 * Reads the password from standard input with `--password-stdin`, otherwise from a prompt. Without a terminal, fails
 * with a usage error.
 */
async function passwordFor(
  { terminal, printsJson }: AdminContext,
  options: PasswordOptions,
  command: Command,
): Promise<string> {
  if (options.passwordStdin) return readSecret(terminal.input, 'password');
  if (printsJson || !terminal.input.isTTY) {
    command.error("error: required option '--password-stdin' not specified");
  }
  return askPassword(terminal);
}

/** An account as the commands print it. */
type UserRecord = User & {
  readonly created_at: string;
  /** Null if nobody has proved to read the mail of the address, and no admin has created or imported the account. */
  readonly email_confirmed_at: string | null;
};

function toUserRecord({ id, email, full_name, createdAtMs, emailConfirmedAtMs }: Account): UserRecord {
  const email_confirmed_at = toIsoOrNull(emailConfirmedAtMs);
  return { id, email, full_name, created_at: toIso(createdAtMs), email_confirmed_at };
}

/** Describes the account with everything that belongs to it; the text summarizes it. */
async function describeUser(services: Services, email: string): Promise<CommandResult> {
  const account = await services.accounts.getByEmail(email);
  const user = toUserRecord(account);
  const subscription = (await services.subscriptions.get(account.id)) ?? null;
  const others = await services.subscriptions.listOthers(account.id);
  const hasOthers = others.length > 0;
  const licenses = await services.licenseAdmin.list(account.id);
  const apiKey = (await services.apiKeyAdmin.get(account.id)) ?? null;
  const summary = {
    ...user,
    subscription:
      subscription && `${subscription.plan}, ${subscription.status} until ${subscription.current_period_end}`,
    ...(hasOthers && {
      other_subscriptions: others.map(({ source, plan, status }) => `${plan}, ${status} (${source})`).join('; '),
    }),
    api_key: apiKey && `${apiKey.api_key_prefix}… of ${apiKey.created_at}`,
  };
  return {
    json: { ...user, subscription, ...(hasOthers && { other_subscriptions: others }), licenses, api_key: apiKey },
    text: [formatFields(summary), ...(licenses.length > 0 ? ['', formatLicenses(licenses)] : [])].join('\n'),
  };
}
