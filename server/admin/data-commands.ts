/** `backup`, `restore` and `check`: the commands for the data as a whole, which have no noun. */
import type { Command } from 'commander';
import { BackupError } from '../backup/store.ts';
import { systemClock } from '../clock.ts';
import type { AdminContext } from './admin-context.ts';

/** Adds the three commands. */
export function addDataCommands(program: Command, context: AdminContext): void {
  const clock = systemClock;

  program
    .command('backup <file>')
    .description(
      'Write the database and its secrets into one tar file, also while the server runs. ' +
        'Keep the file safe: it contains every secret of the server.',
    )
    .option('--force', 'replace the file if it exists')
    .action(
      context.printing(async (file: string, { force = false }: { force?: boolean }) => {
        const { takeBackup } = await import('../backup/take-backup.ts');
        return { json: await takeBackup({ config: context.config(), clock, file: context.resolveFile(file), force }) };
      }),
    );

  program
    .command('restore <file>')
    .description(
      'Replace the present data by a backup. Stop the server first. The backup is checked before anything is changed, ' +
        'and the replaced data is saved in the data folder. Backups of SQLite and PostgreSQL fit both.',
    )
    .action(
      context.printing(async (file: string) => {
        const { restoreBackup } = await import('../backup/restore-backup.ts');
        return { json: await restoreBackup({ config: context.config(), clock, file: context.resolveFile(file) }) };
      }),
    );

  program
    .command('check')
    .description('Check that database and secrets are sound and belong together, also while the server runs.')
    .action(
      context.printing(async () => {
        const { checkDatabase } = await import('../backup/check-database.ts');
        const report = await checkDatabase(context.config());
        return { json: report, failure: report.ok ? undefined : failedCheck(report.problems) };
      }),
    );
}

function failedCheck(problems: readonly string[]): BackupError {
  return new BackupError('CHECK_FAILED', `The check found problems: ${problems.join('; ')}.`);
}
