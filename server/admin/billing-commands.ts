/** `billing`: list the events of billing providers, try dead letters again or dismiss them. */
import { type Command, Option } from 'commander';
import type { BillingEventRecord } from '../../shared/api/admin/billing.ts';
import { byCommand } from '../audit/audit-event.ts';
import type { BillingEventState } from '../database/tables.ts';
import { ApiError } from '../errors.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat } from './command-output.ts';
import { addListAction } from './list-command.ts';

const states = ['applied', 'outdated', 'ignored', 'dead_letter'] as const satisfies BillingEventState[];

/** Adds the noun `billing` and its commands. */
export function addBillingCommands(program: Command, context: AdminContext): void {
  const billing = program
    .command('billing')
    .description('Events of billing providers: list them, try those again that could not be applied, or dismiss them.');

  const list = billing
    .command('list')
    .description('List the events, newest first. Those in the state "dead_letter" could not be applied, and say why.')
    .addOption(new Option('--state <state>', 'only those in this state').choices(states));
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
      context.printing((id: string, { confirmEmail = false }: { confirmEmail?: boolean }) =>
        context.withServices(async ({ billing: service }) => {
          const event = await service.retry(id, byCommand, { confirmsEmail: confirmEmail });
          const failure =
            event.state === 'dead_letter'
              ? new ApiError('CONFLICT', `The event is still a dead letter: ${event.reason}`)
              : undefined;
          return { json: event, failure };
        }),
      ),
    );

  billing
    .command('dismiss <id>')
    .description('Ignore a dead letter that is not to be applied: its content is deleted, and it needs no attention.')
    .action(
      context.printing((id: string) =>
        context.withServices(async ({ billing: service }) => ({ json: await service.dismiss(id, byCommand) })),
      ),
    );
}
