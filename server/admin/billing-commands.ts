/** `billing`: list the events of billing providers, retry or dismiss dead letters, and reconcile a provider's list. */
import { type Command, Option } from 'commander';
import { type BillingEventRecord, billingEventStates } from '../../shared/api/admin/billing.ts';
import { byCommand } from '../audit/audit-event.ts';
import { type FindingKind, findingKinds } from '../billing/reconciliation.rules.ts';
import type { Finding, ReconciliationReport } from '../billing/reconciliation-report.ts';
import type { BillingEventState } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat, formatFields, formatJsonReport } from './command-output.ts';
import { addListAction } from './list-command.ts';

/** About how many findings of a reconciliation are held and aligned at once. */
const linesPerPage = 500;

/** Adds the noun `billing` and its commands. */
export function addBillingCommands(program: Command, context: AdminContext): void {
  const billing = program
    .command('billing')
    .description(
      "Events of billing providers: list them, try those again that could not be applied, or dismiss them. Compare a provider's list with the accounts.",
    );

  const list = billing
    .command('list')
    .description('List the events, newest first. Those in the state "dead_letter" could not be applied, and say why.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(billingEventStates));
  addListAction(list, context, async ({ billingEventList }, { state }: { state?: BillingEventState }) => ({
    readPage: (page) => billingEventList.readPage({ state }, page),
    formatPage: createTableFormat<BillingEventRecord>([
      'received_at',
      'provider',
      'type',
      'state',
      'email',
      'reason',
      'id',
    ]),
  }));

  billing
    .command('retry <id>')
    .description(
      'Try a dead letter again, such as after its plan was added. "billing list" shows the id. Exits with 1 if it still cannot be applied.',
    )
    .option(
      '--confirm-email',
      'the email of the event is that of its account, although the account has not confirmed it',
    )
    .action(
      context.running(
        async ({ billing: service }, id: string, { confirmEmail = false }: { confirmEmail?: boolean }) => {
          const event = await service.retry(id, byCommand, { confirmsEmail: confirmEmail });
          // Applies the dead letters that the write left over, because the server does not know of them.
          await service.applyDeadLetters(async () => true);
          const failure =
            event.state === 'dead_letter'
              ? new ApiError('CONFLICT', `The event is still a dead letter: ${event.reason}`)
              : undefined;
          return { json: event, failure };
        },
      ),
    );

  billing
    .command('dismiss <id>')
    .description('Ignore a dead letter that is not to be applied: its content is deleted, and it needs no attention.')
    .action(
      context.running(async ({ billing: service }, id: string) => ({ json: await service.dismiss(id, byCommand) })),
    );

  addReconcile(billing, context);
}

function addReconcile(billing: Command, context: AdminContext): void {
  billing
    .command('reconcile <file>')
    .description(
      "Compare a provider's list of its subscriptions with those of the accounts: a CSV file in UTF-8 with the columns " +
        'provider, customer, email, plan, status, current_period_end and, if the list has them, subscription (its id at the ' +
        'provider) and as_of (when the list was made). A row that is older than the last event is stale. Prints each row that does not agree, and exits with 0 even then.',
    )
    .option(
      '--apply',
      'make the subscriptions agree with the list, except for stale rows; running it again finds nothing',
    )
    .action(async (file: string, { apply = false }: { apply?: boolean }) => {
      const run = { file: context.resolveFile(file), applies: apply, by: byCommand };
      const report = await context.withServices(({ reconciliation }) => reconciliation.run(run));
      await context.printReport(report, { json: formatReportJson, text: formatReportText });
    });
}

function formatReportJson({ rows, agree, findings }: ReconciliationReport): AsyncIterable<string> {
  const lists = Object.fromEntries(findingKinds.map((kind) => [kind, findings.pages(kind)]));
  return formatJsonReport({ rows, agree }, lists);
}

function* formatReportText(report: ReconciliationReport): Generator<string, void, void> {
  const counts = { rows: report.rows, agree: report.agree, ...report.countFindings() };
  yield `${formatFields(counts)}\n`;
  const format = createTableFormat<FindingLine>([
    'found',
    'row',
    'provider',
    'customer',
    'email',
    'plan',
    'status',
    'current_period_end',
    'server',
    'healed',
    'reason',
  ]);
  let separator = '\n';
  for (const lines of pagesOf(report)) {
    yield `${separator}${format(lines)}\n`;
    separator = '';
  }
}

/** Kinds with few findings share a page, so that their columns are aligned. */
function* pagesOf({ findings }: ReconciliationReport): Generator<readonly FindingLine[], void, void> {
  let lines: FindingLine[] = [];
  for (const kind of findingKinds) {
    for (const page of findings.pages(kind)) {
      lines.push(...page.map((finding) => toLine(kind, finding)));
      if (lines.length < linesPerPage) continue;
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
}

type FindingLine = Omit<Finding, 'server' | 'last_event_at' | 'reason'> & {
  readonly found: string;
  readonly server: string | undefined;
  readonly reason?: string;
};

function toLine(kind: FindingKind, { server, last_event_at, reason, ...finding }: Finding): FindingLine {
  // A stale row that names no subscription is compared with none.
  const none = kind === 'stale' ? undefined : 'nothing';
  const has = server ? `${server.plan} ${server.status} ${server.current_period_end}` : none;
  const why = reason ?? (last_event_at && `The last event was at ${last_event_at}.`);
  return { ...finding, found: kind.replaceAll('_', ' '), server: has, ...(why !== undefined && { reason: why }) };
}
