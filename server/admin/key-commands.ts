/** `key`: list the keys of the server, replace them. */
import { type Command, Option } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import { type AdminKey, type KeyPurpose, signingPurposes } from '../keys/key-rotation.service.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat, formatTable } from './command-output.ts';
import { addListAction } from './list-command.ts';

const columns = ['purpose', 'kid', 'algorithm', 'created_at', 'retires_at'] as const satisfies (keyof AdminKey)[];

/** Adds the noun `key` and its commands. */
export function addKeyCommands(program: Command, context: AdminContext): void {
  const key = program
    .command('key')
    .description('The keys of the server: which there are, and new ones. No key is shown.');

  const list = key.command('list').description('List the keys, and until when those verify that were replaced.');
  addListAction(list, context, async ({ keyRotation }) => ({
    readPage: (page) => keyRotation.listPage(page),
    formatPage: createTableFormat<AdminKey>(columns),
  }));

  key
    .command('rotate')
    .description(
      'Replace the keys that sign access tokens and leases, also while the server runs. Nobody is signed out: an earlier key ' +
        'verifies what it signed until the last of it has expired.',
    )
    .addOption(new Option('--purpose <purpose>', 'only this one').choices(signingPurposes))
    .action(
      context.printing(({ purpose }: { purpose?: KeyPurpose }) =>
        context.withServices(async ({ keyRotation }) => {
          const created = await keyRotation.rotate(purpose ? [purpose] : signingPurposes, byCommand);
          return { json: created, text: formatTable(created, columns) };
        }),
      ),
    );
}
