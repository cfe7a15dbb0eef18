/** `subscription`: what an account has subscribed to. */
import { type Command, Option } from 'commander';
import type { SubscriptionStatus } from '../database/tables.ts';
import { type AdminContext, answering } from './admin-command.ts';
import { parseTime } from './option-values.ts';

const statuses = ['trialing', 'active', 'past_due', 'canceled', 'expired'] as const satisfies SubscriptionStatus[];

type SetOptions = { plan: string; status: SubscriptionStatus; periodEnd?: number; cancelAtPeriodEnd?: true };

/** Adds the noun `subscription` with its verb. */
export function addSubscriptionCommands(program: Command, context: AdminContext): void {
  const subscription = program.command('subscription').description('The subscription of an account.');

  subscription
    .command('set <email>')
    .description('Give an account a subscription, in place of the one that it may have.')
    .requiredOption('--plan <plan>', 'a plan of "plan list"')
    .addOption(
      new Option('--status <status>', 'trialing, active and past_due give access').choices(statuses).default('active'),
    )
    .option('--period-end <time>', 'ISO 8601, may be past (default: in 30 days)', parseTime)
    .option('--cancel-at-period-end', 'say that it ends with its period')
    .action(
      answering(context, (email: string, { plan, status, periodEnd, cancelAtPeriodEnd }: SetOptions) =>
        context.withServices(async ({ accounts, subscriptions }) => {
          const { id } = await accounts.find(email);
          const setting = { plan, status, periodEndMs: periodEnd, cancelAtPeriodEnd };
          return { json: await subscriptions.set(id, setting) };
        }),
      ),
    );
}
