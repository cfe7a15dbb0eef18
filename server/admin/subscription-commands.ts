/** `subscription`: set the subscription of an account. */
import { type Command, Option } from 'commander';
import { subscriptionStatuses } from '../../shared/api/subscription.ts';
import { byCommand } from '../audit/audit-event.ts';
import type { SubscriptionStatus } from '../database/tables.ts';
import type { AdminContext } from './admin-context.ts';
import { parseTime } from './command-input.ts';

type SetOptions = { plan: string; status: SubscriptionStatus; periodEnd?: number; cancelAtPeriodEnd?: true };

/** Adds the noun `subscription` and its command. */
export function addSubscriptionCommands(program: Command, context: AdminContext): void {
  const subscription = program.command('subscription').description('Subscriptions: set that of an account.');

  subscription
    .command('set <email>')
    .description('Set the subscription of an account, replacing the one it has.')
    .requiredOption('--plan <plan>', 'a plan of "plan list"')
    .addOption(
      new Option('--status <status>', 'trialing, active and past_due give access')
        .choices(subscriptionStatuses)
        .default('active'),
    )
    .option('--period-end <time>', 'ISO 8601, may be in the past (default: in 30 days)', parseTime)
    .option('--cancel-at-period-end', 'mark it as ending with its period')
    .action(
      context.running(
        async (
          { accounts, subscriptions },
          email: string,
          { plan, status, periodEnd, cancelAtPeriodEnd }: SetOptions,
        ) => {
          const { id } = await accounts.getByEmail(email);
          const setting = { plan, status, periodEndMs: periodEnd, cancelAtPeriodEnd };
          return { json: await subscriptions.set(id, setting, byCommand) };
        },
      ),
    );
}
