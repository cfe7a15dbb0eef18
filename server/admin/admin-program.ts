/** All admin commands in one tree, in the order in which `--help` lists them. */
import { Command } from 'commander';
import { formatSettings, type SettingName } from '../settings-table.ts';
import type { AdminContext } from './admin-command.ts';
import { addApiKeyCommands } from './api-key-commands.ts';
import { addDataCommands } from './data-commands.ts';
import { addInstallerCommands } from './installer-commands.ts';
import { addLicenseCommands } from './license-commands.ts';
import { addPlanCommands } from './plan-commands.ts';
import { addSubscriptionCommands } from './subscription-commands.ts';
import { addUserCommands } from './user-commands.ts';

/** Those of the server's settings that matter to the commands. */
const usedSettings: readonly SettingName[] = [
  'LATCHKEY_ENV_FILE',
  'LATCHKEY_DATA',
  'DATABASE_URL',
  'LATCHKEY_SECRETS_FILE',
];

/** The commands; wrong usage is told on `context.terminal.errors` and thrown as a `CommanderError`. */
export function createAdminProgram(context: AdminContext): Command {
  const { terminal } = context;
  const program = new Command('admin')
    .usage('<noun> <verb> [options]')
    .description('Works on the same database as the server, also while it runs.')
    .addHelpText('after', `\nSettings (environment variables, as for the server):\n${formatSettings(usedSettings)}`)
    .option('--json', 'print one JSON document; a failure is {error, code} on standard error')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.output.write(text),
      writeErr: (text) => terminal.errors.write(text),
    })
    .showHelpAfterError()
    .exitOverride();
  addUserCommands(program, context);
  addPlanCommands(program, context);
  addSubscriptionCommands(program, context);
  addLicenseCommands(program, context);
  addApiKeyCommands(program, context);
  addInstallerCommands(program, context);
  addDataCommands(program, context);
  return program;
}
