/** `backup`, `restore` and `check`: the data as a whole. */
import type { Command } from 'commander';
import { BackupError } from '../backup/backup-error.ts';
import { checkDatabase } from '../backup/check-database.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { takeBackup } from '../backup/take-backup.ts';
import { systemClock } from '../clock.ts';
import { type AdminContext, answering } from './admin-command.ts';

/** Adds the three commands, which have no noun. */
export function addDataCommands(program: Command, context: AdminContext): void {
  const clock = systemClock;

  program
    .command('backup <file>')
    .description(
      'Write the database and its secrets into one tar file, also while the server runs. ' +
        'Keep the file safe: whoever has it has the server.',
    )
    .option('--force', 'replace the file where it exists')
    .action(
      answering(context, async (file: string, { force = false }: { force?: boolean }) => ({
        json: await takeBackup({ config: context.config(), clock, file: context.resolveFile(file), force }),
      })),
    );

  program
    .command('restore <file>')
    .description(
      'Put a backup in the place of the present data. Stop the server first. The backup is checked before anything ' +
        'is touched, and what it replaces is kept in the data folder. SQLite and PostgreSQL restore each other’s.',
    )
    .action(
      answering(context, async (file: string) => ({
        json: await restoreBackup({ config: context.config(), clock, file: context.resolveFile(file) }),
      })),
    );

  program
    .command('check')
    .description('Check that database and secrets are sound and belong together, also while the server runs.')
    .action(
      answering(context, async () => {
        const report = await checkDatabase(context.config());
        return { json: report, failure: report.ok ? undefined : failedCheck(report.problems) };
      }),
    );
}

function failedCheck(problems: readonly string[]): BackupError {
  return new BackupError('CHECK_FAILED', `Not everything is sound: ${problems.join('; ')}.`);
}
