/** Lists all admin commands, in the order of `--help`, and runs a command line. */
import { Command, CommanderError } from 'commander';
import { formatSettings, type SettingName } from '../settings/settings-table.ts';
import type { AdminContext } from './admin-context.ts';
import { addApiKeyCommands } from './api-key-commands.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addBillingCommands } from './billing-commands.ts';
import { describeFailure, toPrintableLines } from './command-output.ts';
import { addDataCommands } from './data-commands.ts';
import { addFeatureCommands } from './feature-commands.ts';
import { addImportCommands } from './import-commands.ts';
import { addInstallerCommands } from './installer-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addLeaseCommands } from './lease-commands.ts';
import { addLicenseCommands } from './license-commands.ts';
import { addPlanCommands } from './plan-commands.ts';
import { addStaffCommands } from './staff-commands.ts';
import { addSubscriptionCommands } from './subscription-commands.ts';
import { addUserCommands } from './user-commands.ts';
import { addWebhookCommands } from './webhook-commands.ts';

/** The server settings that the commands use. */
const usedSettings: readonly SettingName[] = [
  'LATCHKEY_ENV_FILE',
  'LATCHKEY_DATA',
  'DATABASE_URL',
  'LATCHKEY_SECRETS_FILE',
  'LATCHKEY_BILLING_SECRET',
  'LATCHKEY_STRIPE_WEBHOOK_SECRET',
  'LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET',
  'LATCHKEY_BILLING_PRICES',
  'LATCHKEY_PUBLIC_URL',
];

/** The verbs of commands that change nothing. */
const readingVerbs: readonly string[] = ['list', 'show', 'deliveries', 'passkeys', 'export', 'types'];

/**
 * Runs a command line. Resolves to the exit code: 0 for success and for requested help, 1 for a failure, 2 for wrong
 * usage.
 */
export async function runAdminCommand(args: readonly string[], context: AdminContext): Promise<0 | 1 | 2> {
  const program = createAdminProgram(context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed the usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const failure = describeFailure(error);
    const { json } = program.opts<{ json?: boolean }>();
    context.terminal.errors.write(`${toPrintableLines(json ? JSON.stringify(failure) : failure.error)}\n`);
    return 1;
  }
}

/** Creates the program. Wrong usage is printed on `context.terminal.errors` and thrown as a `CommanderError`. */
export function createAdminProgram(context: AdminContext): Command {
  const { output, errors } = context.terminal;
  const program = new Command('admin')
    .usage('<noun> <verb> [options]')
    .description('Manages the data of a server, also while it runs.')
    .addHelpText(
      'after',
      `\nSettings (environment variables, as for the server; "npm run server -- --help" lists all of them):\n${formatSettings(usedSettings)}`,
    )
    .option('--json', 'print one JSON document; a failure is {error, code} on standard error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => output.write(text), writeErr: (text) => errors.write(text) })
    .exitOverride()
    .hook('preAction', (_, command) => {
      context.printsJson = command.optsWithGlobals<{ json?: boolean }>().json === true;
      context.onlyReads = readingVerbs.includes(command.name());
    });
  addUserCommands(program, context);
  addFeatureCommands(program, context);
  addPlanCommands(program, context);
  addSubscriptionCommands(program, context);
  addLicenseCommands(program, context);
  addLeaseCommands(program, context);
  addApiKeyCommands(program, context);
  addInstallerCommands(program, context);
  addBillingCommands(program, context);
  addImportCommands(program, context);
  addKeyCommands(program, context);
  addWebhookCommands(program, context);
  addAuditCommands(program, context);
  addStaffCommands(program, context);
  addDataCommands(program, context);
  printUsageWithErrors(program);
  return program;
}

/** Prints the usage instead of the whole help, with the message as the last line, so that it is not overlooked. */
function printUsageWithErrors(command: Command): void {
  command.configureOutput({
    outputError: (message, write) => {
      const usage = command.createHelp().commandUsage(command);
      write(`Usage: ${usage}\nAdd --help for more.\n\n${message}`);
    },
  });
  for (const subcommand of command.commands) printUsageWithErrors(subcommand);
}
