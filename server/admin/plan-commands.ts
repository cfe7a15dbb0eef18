/** `plan`: what each plan carries. */
import { type Command, Option } from 'commander';
import { featureFlags } from '../../shared/api/features.ts';
import { type AdminContext, answering } from './admin-command.ts';
import { collectFeature, type FeatureSwitches, parseCount } from './option-values.ts';
import { formatTable } from './text-table.ts';

type SetOptions = { maxDevices?: number; feature?: FeatureSwitches };

/** Adds the noun `plan` with its verbs. */
export function addPlanCommands(program: Command, context: AdminContext): void {
  const plan = program.command('plan').description('Plans: what each of them carries.');

  plan
    .command('list')
    .description('List all plans, the smallest first.')
    .action(
      answering(context, () =>
        context.withServices(async ({ plans }) => {
          const all = await plans.list();
          const rows = all.map(({ name, max_devices, features }) => ({
            name,
            max_devices,
            features: featureFlags.filter((flag) => features[flag]),
          }));
          return { json: all, text: formatTable(rows, ['name', 'max_devices', 'features']) };
        }),
      ),
    );

  plan
    .command('set <name>')
    .description(
      'Change a plan, or add it: a new one has one device and every feature off, but for what is given. ' +
        'Licenses keep the number of devices that they were issued with.',
    )
    .option('--max-devices <n>', 'how many devices its licenses are issued for', parseCount)
    .addOption(
      new Option(
        '--feature <flag=true>',
        `switch a feature on or off; may be repeated (${featureFlags.join(', ')})`,
      ).argParser(collectFeature),
    )
    .action(
      answering(context, (name: string, { maxDevices, feature }: SetOptions) =>
        context.withServices(async ({ plans }) => ({ json: await plans.set(name, { maxDevices, flags: feature }) })),
      ),
    );
}
