/** `plan`: list plans and set what they include. */
import { type Command, Option } from 'commander';
import { isOn, namesOf } from '../../shared/formats/feature-fields.ts';
import { byCommand } from '../audit/audit-event.ts';
import { pageOf } from '../database/list.ts';
import type { Plan } from '../plans/plan.service.ts';
import type { AdminContext } from './admin-context.ts';
import { collectFeature, dryRunOption, type FeatureSwitches, parseCount, parseLeaseDays } from './command-input.ts';
import { createTableFormat } from './command-output.ts';
import { addListAction } from './list-command.ts';

type SetOptions = {
  maxDevices?: number;
  newDevicesPerMonth?: number;
  leaseDays?: number | 'default';
  feature?: FeatureSwitches;
  dryRun?: boolean;
};

/** Adds the noun `plan` and its commands. */
export function addPlanCommands(program: Command, context: AdminContext): void {
  const plan = program.command('plan').description('Plans: what each of them includes.');

  const list = plan.command('list').description('List all plans, the smallest first.');
  addListAction(list, context, async ({ plans }) => {
    const formatRows = createTableFormat<PlanRow>([
      'name',
      'max_devices',
      'new_devices_per_month',
      'lease_days',
      'features',
      'id',
    ]);
    return {
      readPage: async (page) => pageOf(await plans.list(), page, 'plan'),
      formatPage: (rows) => formatRows(rows.map(toRow)),
    };
  });

  plan
    .command('set <name>')
    .description(
      'Change a plan, or add one: a new plan has one device and no features unless the options set them. ' +
        'Licenses keep the device limit that they were issued with; --new-devices-per-month applies to all licenses of the plan at once.',
    )
    .option('--max-devices <n>', 'the device limit of licenses that are issued for it', parseCount)
    .option(
      '--new-devices-per-month <n>',
      'on how many devices beyond its device limit a license may be used within 30 days (default: 10)',
      parseCount,
    )
    .option(
      '--lease-days <n>',
      'how many days the signed leases of its licenses last (default: LATCHKEY_LEASE_TTL, also for "default")',
      parseLeaseDays,
    )
    .addOption(
      new Option(
        '--feature <name=true>',
        'switch a feature on or off; may be repeated ("feature list" shows the names)',
      ).argParser(collectFeature),
    )
    .addOption(dryRunOption())
    .action(
      context.running(async ({ plans, policyPreview }, name: string, options: SetOptions) => {
        const { leaseDays, dryRun = false } = options;
        const change = {
          max_devices: options.maxDevices,
          new_devices_per_month: options.newDevicesPerMonth,
          lease_days: leaseDays === 'default' ? null : leaseDays,
          features: options.feature,
        };
        return {
          json: dryRun ? await policyPreview.previewPlan(name, change) : await plans.set(name, change, byCommand),
        };
      }),
    );
}

type PlanRow = Omit<Plan, 'features'> & { readonly features: readonly string[] };

function toRow(plan: Plan): PlanRow {
  return { ...plan, features: namesOf(plan.features).filter((name) => isOn(plan.features, name)) };
}
