/** `license`: issue licenses, look at them, change their status, take a device off them. */
import { type Command, Option } from 'commander';
import type { LicenseStatus } from '../database/tables.ts';
import { type AdminContext, answering } from './admin-command.ts';
import { formatLicenses } from './license-record.ts';
import { parseCount, parseTime } from './option-values.ts';

const statuses = ['active', 'inactive', 'revoked', 'expired'] as const satisfies LicenseStatus[];

type IssueOptions = {
  email?: string;
  plan?: string;
  maxActivations?: number;
  expiresAt?: number;
  withSubscription?: true;
};

/** Adds the noun `license` with its verbs. */
export function addLicenseCommands(program: Command, context: AdminContext): void {
  const license = program.command('license').description('Licenses: issue them, change them, free their devices.');
  addIssue(license, context);

  license
    .command('list')
    .description('List all licenses, or those of an account, oldest first.')
    .option('--email <email>', 'of this account only')
    .action(
      answering(context, ({ email }: { email?: string }) =>
        context.withServices(async ({ accounts, licenseAdmin }) => {
          const owner = email === undefined ? undefined : await accounts.find(email);
          const records = await licenseAdmin.list(owner?.id);
          return { json: records, text: formatLicenses(records) };
        }),
      ),
    );

  license
    .command('set <id>')
    .description('Set the status of a license. One whose own date has passed reads expired whatever is set.')
    .addOption(
      new Option('--status <status>', 'inactive suspends it, revoked is meant for good')
        .choices(statuses)
        .makeOptionMandatory(),
    )
    .action(
      answering(context, (id: string, { status }: { status: LicenseStatus }) =>
        context.withServices(async ({ licenseAdmin }) => ({ json: await licenseAdmin.setStatus(id, status) })),
      ),
    );

  license
    .command('release <id> <device-id>')
    .description('Free the slot that a device holds on a license; "license list" names both.')
    .action(
      answering(context, (id: string, deviceId: string) =>
        context.withServices(async ({ licenseAdmin }) => ({
          json: await licenseAdmin.release(id, deviceId.toUpperCase()),
        })),
      ),
    );
}

function addIssue(license: Command, context: AdminContext): void {
  license
    .command('issue')
    .description('Issue a license and print its key: it is shown this once and cannot be found out later.')
    .option('--email <email>', 'its owner (default: the first account that activates it)')
    .option('--plan <plan>', 'a plan of "plan list" (default: that of the owner\'s subscription, else standard)')
    .option(
      '--max-activations <n>',
      'on how many devices it may be active (default: as many as the plan has)',
      parseCount,
    )
    .option('--expires-at <time>', 'ISO 8601, may be past (default: never)', parseTime)
    .option('--with-subscription', 'good only while the subscription of its owner gives access; wants --email')
    .action(
      answering(context, (options: IssueOptions, command: Command) => {
        const { email, plan, maxActivations, expiresAt: expiresAtMs, withSubscription } = options;
        if (withSubscription && email === undefined) {
          command.error("error: option '--with-subscription' wants '--email'");
        }
        return context.withServices(async ({ accounts, licenseAdmin }) => {
          const owner = email === undefined ? undefined : await accounts.find(email);
          return {
            json: await licenseAdmin.issue({ userId: owner?.id, plan, maxActivations, expiresAtMs, withSubscription }),
          };
        });
      }),
    );
}
