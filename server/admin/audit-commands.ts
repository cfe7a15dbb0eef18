/** `audit`: list the entries of the audit log, export them. */
import type { Command } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import type { AuditEntry } from '../audit/audit-log.service.ts';
import { toIso } from '../clock.ts';
import type { AdminContext } from './admin-context.ts';
import { parseTime } from './command-input.ts';
import { createTableFormat } from './command-output.ts';
import { addListAction } from './list-command.ts';

/** Adds the noun `audit` and its commands. */
export function addAuditCommands(program: Command, context: AdminContext): void {
  const audit = program
    .command('audit')
    .description('The audit log: who did what to which record, from where. "check" verifies it.');

  const list = audit
    .command('list')
    .description('List the entries, newest first.')
    .option('--since <time>', 'only those since then, ISO 8601', parseTime);
  addListAction(list, context, async ({ auditList }, { since }: { since?: number }) => ({
    readPage: (page) => auditList.readPage({ since: since === undefined ? undefined : toIso(since) }, page),
    formatPage: createTableFormat<AuditEntry>([
      'at',
      'actor',
      'action',
      'target',
      'target_id',
      'address',
      'details',
      'id',
    ]),
  }));

  audit
    .command('accept')
    .description(
      'Accept the end of the audit log as it is, if a server or "check" reports that it was cut off and you know why, ' +
        'such as that PostgreSQL was recovered to an earlier time. Servers then seal again, and the log says who accepted it.',
    )
    .action(context.running(async ({ auditSealing }) => ({ json: await auditSealing.accept(byCommand) })));

  audit
    .command('export <file>')
    .description('Write all entries into a file, oldest first, each as one line of JSON, also while the server runs.')
    .option('--force', 'replace the file if it exists')
    .action(
      context.printing(async (file: string, { force = false }: { force?: boolean }) => {
        const { exportAuditLog } = await import('../backup/export-audit-log.ts');
        return context.withServices(async ({ auditLog }) => ({
          json: await exportAuditLog(auditLog, { file: context.resolveFile(file), force }),
        }));
      }),
    );
}
