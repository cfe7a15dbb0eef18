/** The generated tables of the pages in `server/docs`. */
import type { Command } from 'commander';
import { AdminContext } from '../../server/admin/admin-context.ts';
import { createAdminProgram } from '../../server/admin/admin-program.ts';
import {
  describeDefault,
  describeSecretFiles,
  type SettingName,
  settingsTable,
} from '../../server/settings/settings-table.ts';
import { markdownTable } from './generated-sections.ts';

export const settingsSections = { settings: settingTable } as const;
export const commandsSections = { 'admin commands': adminCommandTable } as const;

function settingTable(): string {
  const rows = Object.entries(settingsTable).map(([name, setting]) => [
    `\`${name}\``,
    describeDefault(setting),
    setting.meaning,
  ]);
  const names = Object.keys(settingsTable) as SettingName[];
  return `${markdownTable(['variable', 'default', 'meaning'], rows)}\n\n${describeSecretFiles(names)}`;
}

/** Returns the commands that `npm run admin -- --help` lists, with their arguments. */
function adminCommandTable(): string {
  const { stdin, stdout, stderr } = process;
  const terminal = { input: stdin, output: stdout, errors: stderr };
  const program = createAdminProgram(new AdminContext({ terminal, environment: {}, folder: '.' }));
  const rows = program.commands.flatMap((noun) =>
    noun.commands.length === 0
      ? [describeCommand('', noun)]
      : noun.commands.map((command) => describeCommand(`${noun.name()} `, command)),
  );
  return markdownTable(['command', 'what it does'], rows);
}

function describeCommand(noun: string, command: Command): string[] {
  const names = command.registeredArguments.map((argument) => ` ${argument.name().toUpperCase()}`);
  return [`\`${noun}${command.name()}${names.join('')}\``, command.description()];
}
