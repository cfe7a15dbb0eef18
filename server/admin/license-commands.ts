/** `license`: issue licenses, list them, change them, release their devices. */
import { type Command, Option } from 'commander';
import type { LicenseRecord } from '../../shared/api/admin/licenses.ts';
import { licenseStatuses } from '../../shared/api/subscription.ts';
import { type Language, languages } from '../../shared/ipc/language.ts';
import { byCommand } from '../audit/audit-event.ts';
import type { LicenseStatus } from '../database/tables.ts';
import type { AdminContext } from './admin-context.ts';
import { dryRunOption, parseCount, parseTime, parseTimeOrNone } from './command-input.ts';
import { describeUnconfirmed, formatTable } from './command-output.ts';
import { addListAction } from './list-command.ts';

/** The description of the option `--updates-until`. */
const updatesUntilMeaning = 'it includes versions of the app that were released until then, ISO 8601';

type IssueOptions = {
  email?: string;
  plan?: string;
  maxActivations?: number;
  expiresAt?: number;
  updatesUntil?: number;
  withSubscription?: true;
  send?: true;
  language: Language;
};

type SetOptions = { status?: LicenseStatus; updatesUntil?: number | 'none'; dryRun?: true };

/** Adds the noun `license` and its commands. */
export function addLicenseCommands(program: Command, context: AdminContext): void {
  const license = program
    .command('license')
    .description('Licenses: issue them, list them, change them, release their devices.');
  addIssue(license, context);

  addList(license, context);
  addSet(license, context);

  license
    .command('replace-key <id>')
    .description(
      'Give a license a new key and print it; it cannot be shown again. The old key no longer works; devices stay active.',
    )
    .option('--send', 'mail the new key to the owner; requires a running server with LATCHKEY_SMTP_URL')
    .addOption(languageOption())
    .action(
      context.running(
        async ({ licenseKeys }, id: string, { send = false, language }: { send?: boolean; language: Language }) => ({
          json: await licenseKeys.replace(id, { send, language }, byCommand),
        }),
      ),
    );

  license
    .command('release <id> <device-id>')
    .description(
      'Deactivate a device of a license and free its place, even if it may still work offline. "license list" shows both ids.',
    )
    .action(
      context.running(async ({ licenseAdmin }, id: string, deviceId: string) => ({
        json: await licenseAdmin.release(id, deviceId.toUpperCase(), byCommand),
      })),
    );
}

function addList(license: Command, context: AdminContext): void {
  const list = license
    .command('list')
    .description('List all licenses, or those of an account, oldest first.')
    .option('--email <email>', 'only those of this account');
  addListAction(list, context, async ({ accounts, licenseAdmin }, { email }: { email?: string }) => {
    const owner = email === undefined ? undefined : await accounts.getByEmail(email);
    let isFirst = true;
    return {
      readPage: (page) => licenseAdmin.listPage(page, owner?.id),
      // The devices of a page follow its licenses, separated by an empty line.
      formatPage: (licenses) => {
        const gap = isFirst ? '' : '\n';
        isFirst = false;
        return gap + formatLicenses(licenses);
      },
    };
  });
}

function addSet(license: Command, context: AdminContext): void {
  license
    .command('set <id>')
    .description(
      'Set the status of a license, or until when it includes new versions of the app. A license past its own expiry date stays expired.',
    )
    .addOption(
      new Option('--status <status>', 'inactive suspends it, revoked ends it until active reinstates it').choices(
        licenseStatuses,
      ),
    )
    .addOption(
      new Option('--updates-until <time>', `${updatesUntilMeaning}; "none": all of them`)
        .argParser(parseTimeOrNone)
        .conflicts(['status', 'dryRun']),
    )
    .addOption(dryRunOption())
    .action(
      context.printing((id: string, { status, updatesUntil, dryRun }: SetOptions, command: Command) => {
        if (updatesUntil !== undefined) {
          const untilMs = updatesUntil === 'none' ? null : updatesUntil;
          return context.withServices(async ({ licenseChanges }) => ({
            json: await licenseChanges.setUpdatesUntil(id, untilMs, byCommand),
          }));
        }
        if (status === undefined) return command.error("error: '--status' or '--updates-until' is required");
        const change = { status, as: 'owner' } as const;
        return context.withServices(async ({ licenseChanges, policyPreview }) => ({
          json: dryRun
            ? await policyPreview.previewLicenseStatus(id, change)
            : await licenseChanges.setStatus(id, change, byCommand),
        }));
      }),
    );
}

const languageOption = () => new Option('--language <language>', 'of the mail').choices(languages).default('en');

function addIssue(license: Command, context: AdminContext): void {
  license
    .command('issue')
    .description('Issue a license and print its key, which is shown only this once and cannot be recovered.')
    .option('--email <email>', 'its owner (default: the first account that activates it)')
    .option('--plan <plan>', 'a plan of "plan list" (default: that of the owner\'s subscription, otherwise standard)')
    .option('--max-activations <n>', 'its device limit (default: that of the plan)', parseCount)
    .option('--expires-at <time>', 'ISO 8601, may be in the past (default: never)', parseTime)
    .option('--updates-until <time>', `${updatesUntilMeaning} (default: all of them)`, parseTime)
    .option('--with-subscription', 'valid only while the subscription of its owner gives access; requires --email')
    .option('--send', 'mail the key to the owner; requires --email, and a running server with LATCHKEY_SMTP_URL')
    .addOption(languageOption())
    .action(
      context.printing((options: IssueOptions, command: Command) => {
        const { email, plan, maxActivations, withSubscription, send, language } = options;
        const { expiresAt: expiresAtMs, updatesUntil: updatesUntilMs } = options;
        if (withSubscription && email === undefined) {
          command.error("error: option '--with-subscription' requires '--email'");
        }
        if (send && email === undefined) command.error("error: option '--send' requires '--email'");
        return context.withServices(async ({ accounts, licenseAdmin }) => {
          const owner = email === undefined ? undefined : await accounts.getByEmail(email);
          const sendTo = send ? { language } : undefined;
          const terms = { plan, maxActivations, expiresAtMs, updatesUntilMs, withSubscription };
          const issued = await licenseAdmin.issue({ userId: owner?.id, ...terms, sendTo }, byCommand);
          if (owner && !accounts.mayReceiveByEmail(owner)) context.warn(describeUnconfirmed(owner.email));
          return { json: issued };
        });
      }),
    );
}

/** Formats the licenses, followed by their active devices and the released ones that keep their place. */
export function formatLicenses(licenses: readonly LicenseRecord[]): string {
  const rows = licenses.map((license) => ({
    ...license,
    devices: `${license.activations} of ${license.max_activations}`,
  }));
  const table = formatTable(rows, ['key_preview', 'plan', 'status', 'devices', 'email', 'expires_at', 'id']);
  const devices = licenses.flatMap((license) => license.devices);
  const released = licenses.flatMap((license) => license.released_devices ?? []);
  const parts = [
    formatTable(devices, ['key_preview', 'device_name', 'platform', 'activity', 'last_seen_at', 'device_id']),
    formatTable(released, ['key_preview', 'device_name', 'platform', 'released_at', 'place_free_at', 'device_id']),
  ];
  const counts = [devices.length, released.length];
  return [table, ...parts.filter((_, index) => counts[index] !== 0)].join('\n\n');
}
