/** `key`: list the keys of the server, replace them. */
import { type Command, Option } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import { pageOf } from '../database/list.ts';
import { type AdminKey, type KeyPurpose, signingPurposes } from '../keys/key-rotation.service.ts';
import type { SecretKey } from '../secrets/secret-key.ts';
import type { Services } from '../services.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat, formatTable } from './command-output.ts';
import { addListAction } from './list-command.ts';

type AnyKey = AdminKey | SecretKey;
type AnyPurpose = KeyPurpose | 'master';

const columns = ['purpose', 'kid', 'algorithm', 'created_at', 'retires_at'] as const satisfies (keyof AnyKey)[];

/** Adds the noun `key` and its commands. */
export function addKeyCommands(program: Command, context: AdminContext): void {
  const key = program
    .command('key')
    .description('The keys of the server: which there are, and new ones. No key is shown.');

  const list = key.command('list').description('List the keys, and until when replaced ones still verify.');
  addListAction(list, context, async ({ keyRotation, secretRotation }) => ({
    readPage: async (page) => pageOf([...(await keyRotation.list()), ...secretRotation.list()], page, 'key'),
    formatPage: createTableFormat<AnyKey>(columns),
  }));

  key
    .command('rotate')
    .description(
      'Replace the signing keys for access tokens and leases, or only the key given with --purpose. The server can keep ' +
        'running, nobody is signed out, and license keys stay valid. Run the command again to complete an interrupted rotation.',
    )
    .addOption(new Option('--purpose <purpose>', 'only this one').choices([...signingPurposes, 'master']))
    .option(
      '--prepare',
      'with --purpose lease: publish the next key and sign nothing with it yet, so that apps can be built with it before',
    )
    .option(
      '--compromised',
      'somebody else may have the key: what it and those before it signed is not valid any more from now on. Apps get new ' +
        'access tokens and leases by themselves; devices that are never online need a new lease.',
    )
    .action(
      context.printing((options: RotateOptions, command: Command) => {
        const { purpose, prepare = false, compromised = false } = options;
        if (prepare && (purpose !== 'lease' || compromised)) {
          command.error('error: --prepare is for --purpose lease, by itself');
        }
        if (purpose === 'master' && compromised) {
          command.error('error: --compromised is for keys that sign: --purpose access-token or lease');
        }
        return context.withServices(async (services) => {
          const created = await rotate(services, options);
          return { json: created, text: formatTable(created, columns) };
        });
      }),
    );
}

type RotateOptions = { readonly purpose?: AnyPurpose; readonly prepare?: boolean; readonly compromised?: boolean };

async function rotate(
  { keyRotation, secretRotation }: Services,
  { purpose, prepare, compromised }: RotateOptions,
): Promise<AnyKey[]> {
  if (prepare) return [await keyRotation.prepareLeaseKey(byCommand)];
  if (purpose === 'master') return [await secretRotation.rotate(byCommand)];
  const isCompromised = compromised === true;
  return keyRotation.rotate(purpose ? [purpose] : signingPurposes, byCommand, { isCompromised });
}
