/** `backup`, `restore`, `move-to` and `check`: the commands for the data as a whole, which have no noun. */
import type { Command } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import type { CheckReport } from '../backup/check-database.ts';
import type { MoveTarget } from '../backup/move-database.ts';
import { BackupError } from '../backup/store.ts';
import { systemDeps } from '../common-deps.ts';
import { postgresUrl } from '../settings/setting-parsers.ts';
import type { AdminContext } from './admin-context.ts';
import { readSecret } from './command-input.ts';
import { formatFields } from './command-output.ts';

/** Adds the commands. */
export function addDataCommands(program: Command, context: AdminContext): void {
  const basics = () => ({ config: context.config(), ...systemDeps, by: byCommand });

  program
    .command('backup <file>')
    .description(
      'Write the database and its secrets into one tar file, also while the server runs. ' +
        'Keep the file safe: it contains every secret of the server. It is encrypted if a setting names a passphrase file or a recipient.',
    )
    .option('--force', 'replace the file if it exists')
    .action(
      context.printing(async (file: string, { force = false }: { force?: boolean }) => {
        const { takeBackup } = await import('../backup/take-backup.ts');
        return { json: await takeBackup({ ...basics(), file: context.resolveFile(file), force }) };
      }),
    );

  program
    .command('restore <file>')
    .description(
      'Replace the present data with a backup. Stop the server first. The backup is checked before anything is changed, ' +
        'and the replaced data is saved in the data folder. A backup of SQLite can be restored to ' +
        'PostgreSQL, and the other way round. An encrypted one is decrypted with the passphrase of the settings, unless ' +
        'another key is given.',
    )
    .option('--foreign', 'restore the backup of another server too, whose owners become the owners here')
    .option('--passphrase-stdin', 'read the passphrase of the backup from standard input')
    .option('--identity <file>', 'a file with the private key of the recipient, as age-keygen writes it')
    .action(
      context.printing(async (file: string, options: KeyOptions & { foreign?: boolean }) => {
        const keys = await readKeys(options, context);
        const { restoreBackup } = await import('../backup/restore-backup.ts');
        const { foreign = false } = options;
        const input = { ...basics(), file: context.resolveFile(file), foreign, ...(keys && { keys }) };
        return { json: await restoreBackup(input) };
      }),
    );

  program
    .command('move-to')
    .argument('<url>', 'postgres://user:password@host:5432/database, or sqlite:FOLDER')
    .description(
      'Copy everything into another, empty database and compare both. Stop the server first. The old database is left ' +
        'as it is. The new one needs the same secrets file, of which sqlite:FOLDER gets a copy. Can be repeated.',
    )
    .action(
      context.printing(async (url: string, _options: object, command: Command) => {
        const target = parseTarget(url, context) ?? command.error(wrongTarget);
        const { moveDatabase } = await import('../backup/move-database.ts');
        return { json: await moveDatabase({ ...basics(), target, onProgress: (line) => context.warn(line) }) };
      }),
    );

  program
    .command('check')
    .description(
      'Check that database, secrets and backups are sound, also while the server runs, and warn of insecure or odd ' +
        'settings. Run it with the settings of the server.',
    )
    .option('--upgrade', 'also tell what the next start will do to the database, found out with a copy of it')
    .action(
      context.printing(async ({ upgrade = false }: { upgrade?: boolean }) => {
        const { checkDatabase } = await import('../backup/check-database.ts');
        const report = await checkDatabase({ config: context.config(), clock: systemDeps.clock, upgrade });
        const reason = `The check found problems: ${report.problems.join('; ')}.`;
        const failure = report.ok ? undefined : new BackupError('CHECK_FAILED', reason);
        return { json: report, text: formatCheck(report), failure };
      }),
    );
}

/** Lists the messages one per line, because they are sentences. */
function formatCheck({ problems, warnings, ...facts }: CheckReport): string {
  const list = (name: string, messages: readonly string[]) =>
    messages.length === 0 ? `${name}: none` : `${name}:\n${messages.map((message) => `- ${message}`).join('\n')}`;
  return [formatFields(facts), list('problems', problems), list('warnings', warnings)].join('\n');
}

type KeyOptions = { readonly passphraseStdin?: boolean; readonly identity?: string };

async function readKeys({ passphraseStdin, identity }: KeyOptions, context: AdminContext) {
  if (!passphraseStdin && identity === undefined) return undefined;
  const { readIdentityFile } = await import('../backup/backup-encryption.ts');
  return {
    passphrase: passphraseStdin ? await readSecret(context.terminal.input, 'passphrase') : undefined,
    identities: identity === undefined ? [] : await readIdentityFile(context.resolveFile(identity)),
  };
}

/** Does not quote the URL, because it may contain a password. */
const wrongTarget = 'error: the URL must be postgres://user:password@host:5432/database or sqlite:FOLDER';

function parseTarget(url: string, context: AdminContext): MoveTarget | undefined {
  const folder = /^sqlite:(.+)$/.exec(url)?.[1];
  if (folder !== undefined) return { kind: 'sqlite', folder: context.resolveFile(folder) };
  return postgresUrl.safeParse(url).success ? { kind: 'postgres', url } : undefined;
}
